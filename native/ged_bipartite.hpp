// Bounds of the edit distance from each node with its own edges: quadratic or cubic time, no search.
#pragma once

#include <vector>

#include "branch_costs.hpp"
#include "ged_general.hpp"
#include "open_assignment.hpp"
#include "volgenant_jonker.hpp"

namespace infmcs::ged {

class Bipartite {
public:
    // Upper bounds: the mapping of an optimal assignment of nodes with all their edges (Riesen and Bunke 2009), by
    // shortest augmenting paths, and by the Volgenant-Jonker algorithm (Fankhauser, Riesen and Bunke 2011). Where
    // several assignments are optimal the two may find different ones; nothing else differs.
    Finding hungarian(const Costed& left, const Costed& right, const Prices& prices);
    Finding vj(const Costed& left, const Costed& right, const Prices& prices);

    // Both bounds: the same assignment with halved edges is a lower bound (Zheng et al. 2015; Blumenthal and Gamper
    // 2018), its mapping an upper one; with `descent` the mapping goes down over exchanges and moves.
    Finding branch(const Costed& left, const Costed& right, const Prices& prices, bool descent);

    // A lower bound and nothing else: every node takes its cheapest partner for itself (Fischer et al. 2015).
    Finding hed(const Costed& left, const Costed& right, const Prices& prices);

private:
    void load(const Costed& left, const Costed& right, const Prices& prices, double share);
    Finding shown(const std::vector<int>& columns, double lower);
    double hausdorff(const int* left, const int* right) const;

    Pair pair_;
    EdgeMatching edges_;
    Counts left_counts_, right_counts_;
    std::vector<double> cost_, remove_, insert_, square_, nearest_;
    std::vector<int> images_;
    OpenAssignment open_;
    VolgenantJonker jonker_;
};

}  // namespace infmcs::ged
