// The ideas of the edit search at equal prices, each of which a build may leave out: `python -m benchmarks.ged
// ablation` compiles the search once without each and measures what it is worth. The package always has them all.
#pragma once

#ifndef INFMCS_GED_WITHOUT
#define INFMCS_GED_WITHOUT 0
#endif

namespace infmcs::ged {

enum Idea : unsigned {
    shaking = 1,             // the best mapping is shaken now and then
    descending = 2,          // the first assignment is descended from
    inner_upper = 4,         // assignments inside the search are mappings, too
    matching = 8,            // branch matching bounds each state
    stopping_matching = 16,  // … as long as more than a few nodes are open
    label_sets = 32,         // label sets bound each child first
    twins = 64,              // of right twins one is tried
    fewest_first = 128,      // the left node with fewest images goes on, not the next of a fixed order
    kept_duals = 256,        // a child begins with its parent's duals and assignment
    ruling_out = 512,        // duals rule out single pairs
};

constexpr bool uses(Idea idea) { return ((INFMCS_GED_WITHOUT)&idea) == 0; }

}  // namespace infmcs::ged
