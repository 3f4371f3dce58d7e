#include "edit_pair.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "connected_order.hpp"

namespace infmcs::ged {

namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The prices of a table, if it says no more than Plain can.
std::optional<Plain> plain(const std::vector<double>& table, int kinds) {
    const auto price = [&](int a, int b) { return table[at(a * kinds + b)]; };
    if (kinds == 1) return Plain{};
    Plain found{price(1, 0), price(0, 1), 0};
    found.change = kinds > 2 ? price(1, 2) : 0;
    for (int a = 1; a < kinds; ++a) {
        if (price(a, 0) != found.remove || price(0, a) != found.insert) return {};
        for (int b = 1; b < kinds; ++b)
            if (price(a, b) != (a == b ? 0 : found.change)) return {};
    }
    found.change = std::min(found.change, found.remove + found.insert);
    return found;
}

}  // namespace

Prices::Prices(int nodes, int edges, std::vector<double> of_nodes, std::vector<double> of_edges, bool all_whole)
    : node_kinds(nodes),
      edge_kinds(edges),
      node(std::move(of_nodes)),
      edge(std::move(of_edges)),
      whole(all_whole),
      edge_gain(edge.size()),
      plain_node(plain(node, nodes)),
      plain_edge(plain(edge, edges)) {
    for (int a = 0; a < edges; ++a)
        for (int b = 0; b < edges; ++b) edge_gain[at(a * edges + b)] = of_edge(a, b) - of_edge(a, 0) - of_edge(0, b);
}

Costed prepare_costed(const GraphView& graph) {
    Costed ready;
    ready.size = graph.size;
    ready.directed = graph.directed;
    const auto size = at(graph.size);
    std::vector<std::vector<int>> neighbours(size);
    for (const auto [u, v] : graph.edges) {
        neighbours[at(u)].push_back(v);
        neighbours[at(v)].push_back(u);
    }
    if (graph.directed)  // opposite arcs make one tie
        for (auto& list : neighbours) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
    ready.number = connected_order(graph.labels, neighbours);
    std::vector<int> place(size);
    for (int k = 0; k < graph.size; ++k) place[at(ready.number[at(k)])] = k;
    std::vector<std::vector<Tie>> ties(size);
    const auto tie = [&](int from, int to) -> Tie& {
        for (Tie& known : ties[at(from)])
            if (known.to == to) return known;
        return ties[at(from)].emplace_back(Tie{to, 0, 0});
    };
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const int u = place[at(graph.edges[i].from)], v = place[at(graph.edges[i].to)];
        const auto kind = static_cast<std::uint16_t>(graph.edge_labels[i]);
        tie(u, v).out = kind;
        (graph.directed ? tie(v, u).in : tie(v, u).out) = kind;
    }
    ready.first.push_back(0);
    for (int k = 0; k < graph.size; ++k) {
        auto& list = ties[at(k)];
        std::sort(list.begin(), list.end(), [](const Tie& a, const Tie& b) { return a.to < b.to; });
        ready.kinds.push_back(graph.labels[at(ready.number[at(k)])]);
        ready.ties.insert(ready.ties.end(), list.begin(), list.end());
        ready.first.push_back(static_cast<std::int32_t>(ready.ties.size()));
    }
    const auto apart_from = [&](int node, int other) {
        std::vector<std::tuple<int, int, int>> seen;
        for (const Tie& t : ties[at(node)]) seen.emplace_back(t.to == other ? -1 : t.to, t.out, t.in);
        std::sort(seen.begin(), seen.end());
        return seen;
    };
    ready.first_twin.push_back(0);
    for (int k = 0; k < graph.size; ++k) {
        for (int j = 0; j < k; ++j)
            if (ready.kinds[at(j)] == ready.kinds[at(k)] && ties[at(j)].size() == ties[at(k)].size() &&
                apart_from(k, j) == apart_from(j, k))
                ready.twins.push_back(j);
        ready.first_twin.push_back(static_cast<std::int32_t>(ready.twins.size()));
    }
    return ready;
}

void Pair::load(const Costed& a, const Costed& b, const Prices& all) {
    left = &a;
    right = &b;
    prices = &all;
    n = a.size;
    m = b.size;
    directed = a.directed;
    everything_ = 0;
    keep.resize(at(n * m));
    remove.resize(at(n));
    insert.resize(at(m));
    for (int u = 0; u < n; ++u) {
        const int kind = a.kinds[at(u)];
        everything_ += remove[at(u)] = all.of_node(kind, 0);
        for (int v = 0; v < m; ++v) keep[spot(u, v, m)] = all.of_node(kind, b.kinds[at(v)]);
    }
    for (int v = 0; v < m; ++v) everything_ += insert[at(v)] = all.of_node(0, b.kinds[at(v)]);
    const auto fill = [&](const Costed& graph, std::vector<std::uint16_t>& matrix) {
        matrix.assign(at(graph.size * graph.size), 0);
        for (int u = 0; u < graph.size; ++u)
            each_tie(graph, u, [&](const Tie& tie) { matrix[spot(u, tie.to, graph.size)] = tie.out; });
    };
    fill(a, here);
    fill(b, there);
    for (int u = 0; u < n; ++u) each_tie(a, u, [&](const Tie& tie) { everything_ += u < tie.to ? removal(tie) : 0; });
    for (int v = 0; v < m; ++v) each_tie(b, v, [&](const Tie& tie) { everything_ += v < tie.to ? insertion(tie) : 0; });
}

double Pair::local(int u, int v, const int* images, int without) const {
    if (v < 0) return 0;
    double saved = keeping(u, v) - remove[at(u)] - insert[at(v)];
    const double* const gain = prices->edge_gain.data();
    const int kinds = prices->edge_kinds;
    each_tie(*left, u, [&](const Tie& tie) {
        const int y = images[tie.to];
        if (y < 0 || tie.to == without) return;
        saved += gain[tie.out * kinds + there[spot(v, y, m)]];
        if (directed) saved += gain[tie.in * kinds + there[spot(y, v, m)]];
    });
    return saved;
}

double Pair::cost(const int* images) const {
    double total = everything_;
    const double* const gain = prices->edge_gain.data();
    const int kinds = prices->edge_kinds;
    for (int u = 0; u < n; ++u) {
        const int v = images[u];
        if (v < 0) continue;
        total += keeping(u, v) - remove[at(u)] - insert[at(v)];
        each_tie(*left, u, [&](const Tie& tie) {
            const int y = images[tie.to];
            if (tie.to >= u || y < 0) return;
            total += gain[tie.out * kinds + there[spot(v, y, m)]];
            if (directed) total += gain[tie.in * kinds + there[spot(y, v, m)]];
        });
    }
    return total;
}

void Pair::descend(int* images) const {
    std::vector<char> used(at(m), 0);
    for (int u = 0; u < n; ++u)
        if (images[u] >= 0) used[at(images[u])] = 1;
    constexpr double better_by = 1e-9;
    for (bool better = true; better;) {
        better = false;
        for (int u = 0; u < n; ++u) {
            for (int x = u + 1; x < n; ++x) {
                const int v = images[u], y = images[x];
                if (v == y) continue;  // both deleted
                const double before = local(u, v, images, x) + local(x, y, images, u);
                const double after = local(u, y, images, x) + local(x, v, images, u);
                double joint = 0;
                if (v >= 0 && y >= 0 && directed) joint = between(u, x, y, v) - between(u, x, v, y);
                if (after + joint >= before - better_by) continue;
                std::swap(images[u], images[x]);
                better = true;
            }
            const int v = images[u];
            int chosen = v;
            double least = local(u, v, images) - better_by;
            for (int y = -1; y < m; ++y) {
                if (y >= 0 ? used[at(y)] : v < 0) continue;
                const double here_now = local(u, y, images);
                if (here_now < least) least = here_now, chosen = y;
            }
            if (chosen == v) continue;
            if (v >= 0) used[at(v)] = 0;
            if (chosen >= 0) used[at(chosen)] = 1;
            images[u] = chosen;
            better = true;
        }
    }
}

}  // namespace infmcs::ged
