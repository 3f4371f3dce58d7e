// Every way to an edit distance or its bounds, under one name each, for one pair or many.
#pragma once

#include <vector>

#include "ged_best_first.hpp"
#include "ged_bipartite.hpp"
#include "ged_general.hpp"

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

bool edit_distances(Method method, int width, const Prices& prices, const Bulk<Costed, double>& bulk, int threads,
                    const Watch& watch);

}  // namespace infmcs::ged
