#include "../ged.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"

namespace infmcs::tests {

namespace {

struct Made {
    std::vector<std::int32_t> labels;
    std::vector<Edge> edges;
    GraphView view() const { return {static_cast<std::int32_t>(labels.size()), labels, edges, {}, false}; }
};

Made random_graph(std::mt19937& random, int size, double density, int labels) {
    Made made;
    for (int v = 0; v < size; ++v)
        made.labels.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(labels)));
    for (int v = 0; v < size; ++v)
        for (int u = 0; u < v; ++u)
            if (std::uniform_real_distribution<>()(random) < density) made.edges.push_back({u, v});
    return made;
}

// What a mapping of all left nodes costs, by the definition.
int cost(const Made& left, const Made& right, const std::vector<std::int32_t>& images) {
    const auto has = [](const Made& graph, int u, int v) {
        return std::any_of(graph.edges.begin(), graph.edges.end(),
                           [&](Edge e) { return e.from == std::min(u, v) && e.to == std::max(u, v); });
    };
    const auto kept =
        static_cast<std::size_t>(std::count_if(images.begin(), images.end(), [](int w) { return w >= 0; }));
    int total = static_cast<int>(left.labels.size() + right.labels.size() - 2 * kept);
    int common = 0;
    for (std::size_t u = 0; u < images.size(); ++u)
        if (images[u] >= 0) total += left.labels[u] != right.labels[static_cast<std::size_t>(images[u])];
    for (const auto [u, v] : left.edges) {
        const int a = images[static_cast<std::size_t>(u)], b = images[static_cast<std::size_t>(v)];
        if (a >= 0 && b >= 0) common += has(right, a, b);
    }
    return total + static_cast<int>(left.edges.size() + right.edges.size()) - 2 * common;
}

int least_cost(const Made& left, const Made& right) {
    std::vector<std::int32_t> order(right.labels.size());
    std::iota(order.begin(), order.end(), 0);
    int least = 1 << 20;
    do
        least = std::min(
            least, cost(left, right, {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left.labels.size())}));
    while (std::next_permutation(order.begin(), order.end()));
    return least;
}

}  // namespace

void ged() {
    std::mt19937 random(4);
    for (int trial = 0; trial < 150; ++trial) {
        const int n = static_cast<int>(random() % 6), m = n + static_cast<int>(random() % static_cast<unsigned>(7 - n));
        const double density = (trial % 5) / 4.0;
        const Made left = random_graph(random, n, density, 1 + trial % 3), right = random_graph(random, m, density, 2);
        const auto a = ged::prepare(left.view(), true), b = ged::prepare(right.view(), true);
        ged::Solver solver;
        const auto found = solver.distance(a, b, {}), back = solver.distance(b, a, {});
        CHECK(found.lower == found.upper);
        CHECK(found.upper == least_cost(left, right));
        CHECK(found.upper == cost(left, right, found.images));
        CHECK(back.upper == found.upper && back.upper == cost(right, left, back.images));
    }
    // A pair hard enough for the best mapping to be shaken.
    {
        const Made left = random_graph(random, 14, .3, 1), right = random_graph(random, 16, .3, 1);
        const auto a = ged::prepare(left.view(), true), b = ged::prepare(right.view(), true);
        ged::Solver solver;
        const auto found = solver.distance(a, b, {}), back = solver.distance(b, a, {});
        CHECK(found.visited > 256 && found.lower == found.upper && found.upper == back.upper);
        CHECK(found.upper == cost(left, right, found.images));
    }
    // Every row length, with a budget that ends the search on its way.
    for (const int size : {64, 65, 129, 257, 600}) {
        const Made left = random_graph(random, size - 1, 3.0 / size, 3),
                   right = random_graph(random, size, 3.0 / size, 3);
        const auto a = ged::prepare(left.view(), true), b = ged::prepare(right.view(), true);
        ged::Request request;
        request.budget.visits = 100;
        const auto found = ged::Solver().distance(a, b, request);
        CHECK(found.visited <= 100);
        CHECK(0 < found.lower && found.lower <= found.upper);
        CHECK(found.upper == cost(left, right, found.images));
    }
}

}  // namespace infmcs::tests
