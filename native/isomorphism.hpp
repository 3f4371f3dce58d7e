// Which graphs are the same but for the numbers of their nodes. Colour refinement groups them by a hash that equal
// graphs share; whether two of a group are equal is decided by a search and checked edge by edge.
#pragma once

#include <cstdint>
#include <vector>

#include "budget.hpp"
#include "graph.hpp"
#include "prepared.hpp"

namespace infmcs {

// The class of each graph, numbered as they first occur. When the meter stops, what is missing is left out.
std::vector<std::int32_t> isomorphism_classes(const GraphsView& graphs, Sight sight, Meter& meter);

}  // namespace infmcs
