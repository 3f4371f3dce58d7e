#include "edit_methods.hpp"

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

bool edit_distances(Method method, int width, const Prices& prices, const Bulk<Costed, double>& bulk, int threads,
                    const Watch& watch) {
    return solve_pairs(bulk, threads, watch, [&] {
        return [&, methods = Methods()](const Costed& left, const Costed& right, const Wish& wish) mutable {
            return methods(method, left, right, prices, wish, width);
        };
    });
}

}  // namespace infmcs::ged
