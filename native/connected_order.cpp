#include "connected_order.hpp"

#include <algorithm>
#include <array>

namespace infmcs::ged {

std::vector<std::int32_t> connected_order(std::span<const std::int32_t> labels,
                                          const std::vector<std::vector<int>>& neighbours) {
    const std::size_t size = labels.size();
    std::vector<int> placed(size, 0);
    std::vector<int> same(size, 0);
    for (std::size_t u = 0; u < size; ++u)
        same[u] = static_cast<int>(std::count(labels.begin(), labels.end(), labels[u]));
    std::vector<std::int32_t> order;
    std::vector<char> taken(size, 0);
    while (order.size() < size) {
        std::size_t best = size;
        for (std::size_t u = 0; u < size; ++u) {
            if (taken[u]) continue;
            const auto rank = [&](std::size_t x) {
                return std::array{placed[x], static_cast<int>(neighbours[x].size()), -same[x], -static_cast<int>(x)};
            };
            if (best == size || rank(u) > rank(best)) best = u;
        }
        taken[best] = 1;
        order.push_back(static_cast<std::int32_t>(best));
        for (const int v : neighbours[best]) ++placed[static_cast<std::size_t>(v)];
    }
    return order;
}

}  // namespace infmcs::ged
