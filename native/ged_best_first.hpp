// Best-first search over edit paths: A*, and BEAM, which is A* with a short memory.
#pragma once

#include <cstdint>
#include <vector>

#include "branch_costs.hpp"
#include "ged_general.hpp"

namespace infmcs::ged {

// A state has settled the first left nodes of the connected order: each became a right node, or was deleted. Its
// estimate adds to the cost so far the cheapest assignment of the other nodes by their labels alone, and of the other
// edges by theirs (Riesen, Fankhauser and Bunke 2007). Best estimate first; then the deeper state; then the older one.
class BestFirst {
public:
    // `width` states are kept open, the best ones (Neuhaus, Riesen and Bunke 2006); 0 keeps all, which is A*. Whatever
    // was thrown away is part of the lower bound, so a search that threw away nothing better is proven.
    Finding search(const Costed& left, const Costed& right, const Prices& prices, const Wish& wish, int width);

private:
    struct State {
        double estimate, paid;
        int level;
        std::uint32_t born;
        std::int32_t slot;  // of its images
        bool operator<(const State& other) const {
            if (estimate != other.estimate) return estimate < other.estimate;
            return level != other.level ? level > other.level : born < other.born;
        }
    };

    void prepare();
    void expand(const State& state);
    void offer(const State& parent, int image, double paid, double estimate);
    State take_best();
    double rest_of_nodes(int level, int without);
    double rest_of_edges(int level);
    std::int16_t* images(std::int32_t slot) { return pool_.data() + static_cast<std::ptrdiff_t>(slot) * pair_.n; }

    Pair pair_;
    EdgeMatching matching_;
    int width_ = 0;
    std::vector<State> open_;  // sorted, best last, with a width; else a heap
    std::vector<std::int16_t> pool_;
    std::vector<std::int32_t> unused_;
    std::uint32_t born_ = 0;
    double thrown_away_ = 0;

    std::vector<int> left_edges_;                // [level * kinds + kind]: not between settled nodes
    std::vector<int> right_edges_;               // of the state being expanded
    std::vector<int> left_nodes_, right_nodes_;  // how many of each kind are not settled
    std::vector<char> used_;
    std::vector<int> rows_, columns_, edges_now_;
    int common_ = 0, free_ = 0;
};

}  // namespace infmcs::ged
