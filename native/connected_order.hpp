// The order in which a search places the nodes of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace infmcs::ged {

// Highest degree first, then always the node with most neighbours already placed; ties by degree, then by the rarer
// label, then by number. What is placed early then fixes as much as possible of what is placed later.
std::vector<std::int32_t> connected_order(std::span<const std::int32_t> labels,
                                          const std::vector<std::vector<int>>& neighbours);

}  // namespace infmcs::ged
