#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "../edit_methods.hpp"
#include "check.hpp"

namespace infmcs::tests {

namespace {

struct Made {
    std::vector<std::int32_t> kinds, edge_kinds;
    std::vector<Edge> edges;
    bool directed;
    GraphView view() const { return {static_cast<std::int32_t>(kinds.size()), kinds, edges, edge_kinds, directed}; }
};

Made random_graph(std::mt19937& random, int size, double density, int kinds, int edge_kinds, bool directed) {
    Made made;
    made.directed = directed;
    const auto one_of = [&](int count) {
        return 1 + static_cast<std::int32_t>(random() % static_cast<unsigned>(count));
    };
    for (int v = 0; v < size; ++v) made.kinds.push_back(one_of(kinds));
    for (int u = 0; u < size; ++u)
        for (int v = 0; v < size; ++v)
            if ((directed ? u != v : u < v) && std::uniform_real_distribution<>()(random) < density) {
                made.edges.push_back({u, v});
                made.edge_kinds.push_back(one_of(edge_kinds));
            }
    return made;
}

// Prices from 0 to 5: whole, or in sevenths, which are none; by table, or one for each kind of edit.
std::vector<double> random_table(std::mt19937& random, int kinds, bool whole, bool plain) {
    const auto price = [&] { return static_cast<double>(random() % 6) / (whole ? 1 : 7); };
    const double insert = price(), remove = price(), change = price();
    std::vector<double> table;
    for (int a = 0; a <= kinds; ++a)
        for (int b = 0; b <= kinds; ++b)
            table.push_back(a == b ? 0 : plain ? (a == 0 ? insert : b == 0 ? remove : change) : price());
    return table;
}

int edge_kind(const Made& graph, int u, int v) {
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const auto [from, to] = graph.edges[i];
        if ((from == u && to == v) || (!graph.directed && from == v && to == u)) return graph.edge_kinds[i];
    }
    return 0;
}

// What a mapping costs, by the definition: every pair of nodes of either graph once.
double cost(const Made& left, const Made& right, const ged::Prices& prices, const std::vector<std::int32_t>& images) {
    const int n = static_cast<int>(left.kinds.size()), m = static_cast<int>(right.kinds.size());
    std::vector<std::pair<int, int>> places;  // left node and right node, -1 for none
    std::vector<char> used(right.kinds.size(), 0);
    for (int u = 0; u < n; ++u) {
        const int v = images[static_cast<std::size_t>(u)];
        places.emplace_back(u, v);
        if (v >= 0) used[static_cast<std::size_t>(v)] = 1;
    }
    for (int v = 0; v < m; ++v)
        if (!used[static_cast<std::size_t>(v)]) places.emplace_back(-1, v);
    const auto kind = [](const Made& graph, int node) {
        return node < 0 ? 0 : graph.kinds[static_cast<std::size_t>(node)];
    };
    double total = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto [u, v] = places[i];
        total += prices.of_node(kind(left, u), kind(right, v));
        for (std::size_t j = 0; j < places.size(); ++j) {
            if (i == j || (!left.directed && j < i)) continue;
            const auto [x, y] = places[j];
            total +=
                prices.of_edge(u < 0 || x < 0 ? 0 : edge_kind(left, u, x), v < 0 || y < 0 ? 0 : edge_kind(right, v, y));
        }
    }
    return total;
}

double least_cost(const Made& left, const Made& right, const ged::Prices& prices) {
    double least = 1e300;
    std::vector<std::int32_t> images(left.kinds.size(), -1);
    std::vector<char> used(right.kinds.size(), 0);
    const std::function<void(std::size_t)> place = [&](std::size_t u) {
        if (u == images.size()) {
            least = std::min(least, cost(left, right, prices, images));
            return;
        }
        images[u] = -1;
        place(u + 1);
        for (std::size_t v = 0; v < used.size(); ++v) {
            if (used[v]) continue;
            used[v] = 1;
            images[u] = static_cast<std::int32_t>(v);
            place(u + 1);
            used[v] = 0;
        }
        images[u] = -1;
    };
    place(0);
    return least;
}

}  // namespace

void priced() {
    std::mt19937 random(7);
    ged::Methods methods;
    using ged::Method;
    for (int trial = 0; trial < 300; ++trial) {
        const int n = static_cast<int>(random() % 5), m = static_cast<int>(random() % 5);
        const bool directed = trial % 2, whole = trial % 3 > 0;
        const int kinds = 1 + trial % 3, edge_kinds = 1 + trial % 2;
        const double density = (trial % 5) / 4.0;
        const Made left = random_graph(random, n, density, kinds, edge_kinds, directed),
                   right = random_graph(random, m, density, kinds, edge_kinds, directed);
        auto edge = random_table(random, edge_kinds, whole, trial % 7 < 4);
        for (int a = 1; a <= edge_kinds; ++a)  // replacing an edge is always possible
            for (int b = 1; b <= edge_kinds; ++b) {
                const int row = edge_kinds + 1;
                double& kept = edge[static_cast<std::size_t>(a * row + b)];
                kept = std::min(kept, edge[static_cast<std::size_t>(a * row)] + edge[static_cast<std::size_t>(b)]);
            }
        const ged::Prices prices(kinds + 1, edge_kinds + 1, random_table(random, kinds, whole, trial % 7 < 2), edge,
                                 whole);
        const auto a = ged::prepare_costed(left.view()), b = ged::prepare_costed(right.view());
        const double truth = least_cost(left, right, prices);
        constexpr double near = 1e-7;
        for (const Method method : {Method::exact, Method::astar, Method::beam, Method::hungarian, Method::vj,
                                    Method::branch, Method::descent, Method::hed}) {
            const auto found = methods(method, a, b, prices, {}, 2);
            CHECK(found.lower <= truth + near && truth <= found.upper + near);
            CHECK(std::abs(found.upper - cost(left, right, prices, found.images)) < near);
            if (method == Method::exact || method == Method::astar) CHECK(found.upper - found.lower < near);
        }
        ged::Wish wish;
        wish.budget.visits = 2;
        wish.below = trial % 9;
        const auto told = methods(Method::exact, a, b, prices, wish, 0);
        CHECK(told.visited <= 2 && told.lower <= truth + near && truth <= told.upper + near);
    }
}

}  // namespace infmcs::tests
