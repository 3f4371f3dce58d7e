#include "edit_methods.hpp"

#include <algorithm>

namespace infmcs::ged {

Finding Methods::operator()(Method method, const Costed& left, const Costed& right, const Prices& prices,
                            const Wish& wish, int width) {
    switch (method) {
        case Method::exact:
            return exact_.distance(left, right, prices, wish);
        case Method::astar:
            return best_first_.search(left, right, prices, wish, 0);
        case Method::beam:
            return best_first_.search(left, right, prices, wish, width);
        case Method::hungarian:
            return bipartite_.hungarian(left, right, prices);
        case Method::vj:
            return bipartite_.vj(left, right, prices);
        case Method::branch:
            return bipartite_.branch(left, right, prices, false);
        case Method::descent:
            return bipartite_.branch(left, right, prices, true);
        case Method::hed:
            return bipartite_.hed(left, right, prices);
    }
    return {};
}

std::vector<Costed> prepare_all_costed(const GraphsView& graphs) {
    std::vector<Costed> ready;
    ready.reserve(graphs.count());
    for (std::size_t i = 0; i < graphs.count(); ++i) ready.push_back(prepare_costed(graphs[i]));
    return ready;
}

bool edit_distances(Method method, int width, const Prices& prices, const PricedBulk& bulk, int threads,
                    const Watch& watch) {
    return for_chunks(
        bulk.lower.size(), 64, threads, watch, [&](std::size_t first, std::size_t last, const auto& cancelled) {
            Methods methods;
            const Interrupted ask = [&] { return cancelled.load(); };
            for (std::size_t k = first; k < last && !cancelled; ++k) {
                const Wish wish{
                    {one_or_each(bulk.visits, k), one_or_each(bulk.seconds, k)}, &ask, one_or_each(bulk.below, k)};
                const Finding found =
                    methods(method, bulk.left[static_cast<std::size_t>(bulk.pairs[2 * k])],
                            bulk.right[static_cast<std::size_t>(bulk.pairs[2 * k + 1])], prices, wish, width);
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
