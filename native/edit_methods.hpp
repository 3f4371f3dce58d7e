// Every way to an edit distance or its bounds, under one name each, for one pair or many.
#pragma once

#include <span>
#include <vector>

#include "ged_best_first.hpp"
#include "ged_bipartite.hpp"
#include "ged_general.hpp"
#include "parallel.hpp"

namespace infmcs::ged {

enum class Method : int { exact, astar, beam, hungarian, vj, branch, descent, hed };

// Keeps the memory of all methods, one a thread.
class Methods {
public:
    Finding operator()(Method method, const Costed& left, const Costed& right, const Prices& prices, const Wish& wish,
                       int width);

private:
    GeneralSolver exact_;
    BestFirst best_first_;
    Bipartite bipartite_;
};

std::vector<Costed> prepare_all_costed(const GraphsView& graphs);

// Which pairs of graphs, and where the answers go: one place a pair; images may be left out.
struct PricedBulk {
    std::span<const Costed> left, right;
    std::span<const std::int64_t> pairs;   // graph on the left, graph on the right, and so on
    std::span<const std::int64_t> visits;  // limits: one for all, or one a pair
    std::span<const double> seconds, below;
    std::span<double> lower, upper;
    std::span<std::int64_t> visited;
    std::span<std::int32_t> images;               // or empty
    std::span<const std::int64_t> image_offsets;  // of each pair's images
};

// By threads over small chunks. False when `watch` stopped it: pairs not begun keep what was in their places.
bool edit_distances(Method method, int width, const Prices& prices, const PricedBulk& bulk, int threads,
                    const Watch& watch);

}  // namespace infmcs::ged
