// Which graphs of an index have most in common with a query, proven: bounds of all graphs in one pass, then the most
// promising first, each solved only for more than the last of the best so far has, until no other can be better.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcs.hpp"
#include "shelf.hpp"

namespace infmcs::search {

struct Query {
    PreparedGraph graph;
    std::int32_t edges;                                    // loops not counted
    std::span<const std::int32_t> counts, stars, degrees;  // its rows, see Shelf
};

struct Terms {
    mcs::Question question;
    Sight sight;
    bool directed = false;
    std::int64_t top = -1;  // -1: all that reach the threshold
    double threshold = 0;
    bool ties = true;  // solve also what can only equal the last of the best
    Budget budget;     // of the whole search
};

// One graph and what is known of it. A place counts through all shelves.
struct Hit {
    std::int64_t place;
    double low, high;           // similarity: common nodes over mean size
    std::int32_t lower, upper;  // common nodes
    std::vector<mcs::Pair> mapping;
};

struct Outcome {
    std::vector<Hit> best;           // by falling low, then by place
    std::vector<std::int64_t> tied;  // exactly as similar as the last of the best, and without room
    double beyond = -1;              // no graph left out is more similar; -1: none was
    std::int64_t graphs = 0;         // looked at
    std::int64_t sharpened = 0;      // whose first bound was not enough to leave them out
    std::int64_t solved = 0;         // pairs given to the solver
    std::int64_t postponed = 0;      //   of these, those that took more than the first turn
    std::int64_t visited = 0;        // its search nodes
    bool interrupted = false;
};

// `ready`: of each shelf, its graphs prepared already with the same sight, or null. `chosen`: a byte a place. `first`:
// places to solve before all others, such as a model's favourites.
Outcome run(const Query& query, std::span<const Shelf> shelves, std::span<const Prepared* const> ready,
            std::span<const std::uint8_t> chosen, std::span<const std::int64_t> first, const Terms& terms,
            const Interrupted& interrupted);

// The greatest number of nodes that the query and the graph at each place can have in common; -1 where not chosen.
void bounds(const Query& query, std::span<const Shelf> shelves, std::span<const std::uint8_t> chosen,
            const Terms& terms, bool sharp, std::span<std::int32_t> most);

// How alike the rows of the query and of each graph are, in [0, 1]: no bound, but a good guess. -1 where not chosen.
void likeness(const Query& query, std::span<const Shelf> shelves, std::span<const std::uint8_t> chosen,
              std::span<float> alike);

}  // namespace infmcs::search
