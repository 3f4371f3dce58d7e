// The largest common subgraph of two graphs: the question, what a search brings back, and the searcher.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "budget.hpp"
#include "prepared.hpp"

namespace infmcs::mcs {

// Which labels and directions count is settled when graphs are prepared (Sight). Counting nodes of what is neither
// induced nor connected is no search of its own: edges play no part, so ask for induced of graphs without edges.
struct Question {
    bool induced = true;
    bool connected = true;
    bool count_edges = false;  // only when not induced
};

struct Pair {
    std::int32_t left, right;
};

// What a search may leave out because something it does comes to the same. None changes an answer: switched off only to
// test that and to measure what each is worth (docs/solvers.md).
struct Reductions {
    bool right_twins = true, left_twins = true, reach = true;
    std::int64_t patience = 5'000'000;  // visits before an induced search asks from above (some tenths of a second)
};

// What is already known and wished before a search.
struct Wishes {
    std::span<const Pair> start{};  // a common subgraph of start_size
    std::int32_t start_size = 0;
    std::int32_t above = 0;        // look only for more than this
    const float* guide = nullptr;  // left size x right size, row by row: large is tried first
    bool mapping = true;           // else only its size is wanted
    Reductions reductions{};
};

struct Found {
    std::vector<Pair> mapping;  // numbers of the graphs as they were given, sorted by left node
    std::int32_t lower = 0;     // size of the mapping
    std::int32_t upper = 0;     // at least lower; with `above`, at least that
    std::int64_t visited = 0;
    bool interrupted = false;
};

// What a common subgraph without a promise may cost: a few descents.
inline Budget greedy_budget(const PreparedGraph& left, const PreparedGraph& right) {
    return {50 + 16 * std::int64_t{std::min(left.size, right.size)}, std::numeric_limits<double>::infinity()};
}

// All largest mappings of a pair, or the first `limit` of them in the order of the search.
struct Optima {
    std::int32_t size = 0;
    std::int64_t count = 0;
    bool proved = false;    // nothing is larger
    bool complete = false;  // and these are all
    bool interrupted = false;
};

// Where optimal mappings are put down; either may be left out.
struct Ballot {
    std::vector<Pair>* mappings = nullptr;         // one after another, each sorted by left node
    std::vector<std::int32_t>* lengths = nullptr;  // pairs of each: counted in edges, they differ
    std::int32_t* votes = nullptr;  // left size x right size, row by row: how many mappings match the two nodes
};

// Holds all memory of a search, so that many searches in a row allocate nothing. Not for two threads at once.
class Searcher {
public:
    Searcher();
    ~Searcher();
    Searcher(const Searcher&) = delete;
    Searcher& operator=(const Searcher&) = delete;

    // Both graphs prepared with the same Sight. The result lives until the next search.
    const Found& search(const PreparedGraph& left, const PreparedGraph& right, Question question, const Wishes& wishes,
                        Meter& meter);

    // A common subgraph made fast, without a promise. Only what the labels allow is proved above it.
    const Found& greedy(const PreparedGraph& left, const PreparedGraph& right, Question question, Meter& meter);

    Optima optima(const PreparedGraph& left, const PreparedGraph& right, Question question, std::int64_t limit,
                  Ballot ballot, Meter& meter);

private:
    template <class Search>
    const Found& take(Search& search, const PreparedGraph& small, const PreparedGraph& large, bool swapped,
                      bool mapping, Meter& meter);

    // Calls use(search) with the compiled form of a search that fits, its two sides set.
    template <class Use>
    void with_search(const PreparedGraph& small, const PreparedGraph& large, Question question, const Use& use);

    struct Memory;
    std::unique_ptr<Memory> memory_;
    Found found_;
};

}  // namespace infmcs::mcs
