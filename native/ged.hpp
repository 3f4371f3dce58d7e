// Graph edit distance where every edit costs 1: node and edge insertion and deletion, and relabelling.
//
// Under these costs some optimal edit path keeps every node of the smaller graph, because keeping one and relabelling
// it costs no more than a deletion and an insertion. So the search is over injections of the smaller graph's nodes
// into the larger one's. Undirected graphs without loops; any other case belongs to ged_general.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bits.hpp"
#include "edit_bulk.hpp"
#include "graph.hpp"

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

using Outcome = Found<int>;
using Request = Asked<int>;

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

bool distances(const Bulk<Prepared, std::int32_t>& bulk, int threads, const Watch& watch);

}  // namespace infmcs::ged
