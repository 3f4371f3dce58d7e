// Graph edit distance where every edit costs 1: node and edge insertion and deletion, and relabelling.
//
// Under these costs some optimal edit path keeps every node of the smaller graph, because keeping one and relabelling
// it costs no more than a deletion and an insertion. So the search is over injections of the smaller graph's nodes
// into the larger one's. Undirected graphs without loops; any other case belongs to ged_general.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bits.hpp"
#include "budget.hpp"
#include "graph.hpp"
#include "parallel.hpp"

namespace infmcs::ged {

constexpr int most_nodes = 1024;

// One graph made ready for any number of searches. Node k here is node number[k] of the graph: a connected order that
// begins with the highest degree and goes on with the node most tied to those already placed.
struct Prepared {
    int size = 0, edges = 0, words = 1;
    std::vector<std::int32_t> number;
    std::vector<std::int32_t> labels;  // process-wide ids, or all 0 where labels do not count
    std::vector<Word> rows;            // neighbours, `words` a node
    std::vector<Word> earlier_twins;   // nodes before it with its label and its neighbours, apart from each other
    std::vector<std::int32_t> kinds;   // labels, sorted: what a multiset of labels needs

    const Word* row(int node) const { return rows.data() + std::ptrdiff_t{node} * words; }
    const Word* twins(int node) const { return earlier_twins.data() + std::ptrdiff_t{node} * words; }
};

Prepared prepare(const GraphView& graph, bool node_labels);

// What a search found. images[k]: the right node that left node k becomes, or -1; both in the graphs' own numbers.
struct Outcome {
    std::vector<std::int32_t> images;
    int lower = 0, upper = 0;
    std::int64_t visited = 0;
    bool interrupted = false;
};

struct Request {
    Budget budget{};
    const Interrupted* interrupted = nullptr;
    int below = -1;  // not negative: stop as soon as the distance is known to be at most this, or above it
};

// Keeps the memory of a search, so that one object serves all pairs of a thread.
class Solver {
public:
    Solver();
    ~Solver();
    Solver(Solver&&) noexcept;

    Outcome distance(const Prepared& left, const Prepared& right, const Request& request);

private:
    struct Searches;
    std::unique_ptr<Searches> searches_;
};

// A collection made ready, once, for any number of bulk calls.
std::vector<Prepared> prepare_all(const GraphsView& graphs, bool node_labels);

// Limits of each pair: one for all, or one a pair.
struct Limits {
    std::span<const std::int64_t> visits;
    std::span<const double> seconds;
    std::span<const std::int32_t> below;
};

// Which pairs of graphs, and where the answers go: one place a pair; images may be left out.
struct Bulk {
    std::span<const Prepared> left, right;
    std::span<const std::int64_t> pairs;  // graph on the left, graph on the right, and so on
    Limits limits;
    std::span<std::int32_t> lower, upper;
    std::span<std::int64_t> visited;
    std::span<std::int32_t> images;               // or empty
    std::span<const std::int64_t> image_offsets;  // of each pair's images
};

// Solves pairs by threads over small chunks. False when `watch` stopped it: pairs not begun keep what was in their
// places.
bool distances(const Bulk& bulk, int threads, const Watch& watch);

}  // namespace infmcs::ged
