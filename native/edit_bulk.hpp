// What both searches for edit distances share: what one is asked, what it finds, and bulk work over pairs of graphs.
// Costs are whole numbers where every edit costs 1 (ged.hpp), and any numbers otherwise (edit_methods.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "parallel.hpp"

namespace infmcs::ged {

// What a search found. images[k]: the right node that left node k becomes, or -1; both in the graphs' own numbers.
template <class Cost>
struct Found {
    std::vector<std::int32_t> images;
    Cost lower = 0, upper = 0;
    std::int64_t visited = 0;
    bool interrupted = false;
};

template <class Cost>
struct Asked {
    Budget budget{};
    const Interrupted* interrupted = nullptr;
    Cost below = -1;  // not negative: stop as soon as the distance is known to be at most this, or above it
};

// Which pairs of graphs, under which limits (one for all, or one a pair), and where the answers go: one place a pair.
template <class Ready, class Cost>
struct Bulk {
    std::span<const Ready> left, right;
    std::span<const std::int64_t> pairs;  // graph on the left, graph on the right, and so on
    std::span<const std::int64_t> visits;
    std::span<const double> seconds;
    std::span<const Cost> below;
    std::span<Cost> lower, upper;
    std::span<std::int64_t> visited;
    std::span<std::int32_t> images;               // or empty: images are left out
    std::span<const std::int64_t> image_offsets;  // of each pair's images
};

// Solves pairs by threads over small chunks. `make` makes what solves a pair, with memory of its own: once a chunk.
// False when `watch` stopped it: pairs not begun keep what was in their places.
template <class Ready, class Cost, class Make>
bool solve_pairs(const Bulk<Ready, Cost>& bulk, int threads, const Watch& watch, const Make& make) {
    return for_chunks(
        bulk.lower.size(), 64, threads, watch, [&](std::size_t first, std::size_t last, const auto& cancelled) {
            auto solve = make();
            const Interrupted ask = [&] { return cancelled.load(); };
            for (std::size_t k = first; k < last && !cancelled; ++k) {
                const Asked<Cost> asked{
                    {one_or_each(bulk.visits, k), one_or_each(bulk.seconds, k)}, &ask, one_or_each(bulk.below, k)};
                const Found<Cost> found = solve(bulk.left[static_cast<std::size_t>(bulk.pairs[2 * k])],
                                                bulk.right[static_cast<std::size_t>(bulk.pairs[2 * k + 1])], asked);
                bulk.lower[k] = found.lower;
                bulk.upper[k] = found.upper;
                bulk.visited[k] = found.visited;
                if (!bulk.images.empty())
                    std::copy(found.images.begin(), found.images.end(),
                              bulk.images.begin() + static_cast<std::ptrdiff_t>(bulk.image_offsets[k]));
            }
        });
}

}  // namespace infmcs::ged
