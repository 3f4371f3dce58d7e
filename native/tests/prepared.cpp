// Graphs prepared the short way, which most graphs go, hold what the general way puts down for longer rows.
#include "../prepared.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "check.hpp"

namespace infmcs::tests {

namespace {

bool same_rows(const Word* narrow, const Word* wide, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (narrow[i] != wide[2 * i] || wide[2 * i + 1]) return false;
    return true;
}

void check_alike(const PreparedGraph& simple, const PreparedGraph& general) {
    CHECK(simple.words == 1 && general.words == 2);
    CHECK(simple.size == general.size && simple.edges == general.edges);
    const auto size = static_cast<std::size_t>(simple.size);
    CHECK(std::equal(simple.order, simple.order + size, general.order));
    CHECK(std::equal(simple.place, simple.place + size, general.place));
    CHECK(std::equal(simple.natures, simple.natures + size, general.natures));
    CHECK(std::equal(simple.loops, simple.loops + size, general.loops));
    CHECK(std::equal(simple.first_kind, simple.first_kind + size + 1, general.first_kind));
    const auto kinds = static_cast<std::size_t>(simple.first_kind[size]);
    CHECK(std::equal(simple.kinds, simple.kinds + kinds, general.kinds));
    CHECK(std::ranges::equal(simple.classes, general.classes));
    CHECK(std::ranges::equal(simple.all_kinds, general.all_kinds));
    CHECK(same_rows(simple.neighbours, general.neighbours, size));
    CHECK(same_rows(simple.twins, general.twins, size));
    CHECK(same_rows(simple.kind_rows, general.kind_rows, kinds));
    CHECK(same_rows(simple.class_rows, general.class_rows, simple.classes.size()));
}

}  // namespace

void preparing() {
    std::mt19937 random(3);
    for (int round = 0; round < 400; ++round) {
        const auto size = static_cast<std::int32_t>(round < 3 ? 64 : random() % 65);
        std::vector<std::int32_t> labels;
        for (std::int32_t v = 0; v < size; ++v) labels.push_back(static_cast<std::int32_t>(random() % 4));
        std::vector<Edge> edges;
        const unsigned share = round % 3 ? 20 : 2;  // one of so many pairs is an edge; few nodes share many neighbours
        for (std::int32_t u = 0; u < size; ++u)
            for (std::int32_t v = u; v < size; ++v)
                if (random() % share == 0) edges.push_back(random() % 2 ? Edge{u, v} : Edge{v, u});
        if (round % 5 == 0)  // a star: its leaves are twins
            for (std::int32_t v = 1; v < size; ++v) edges.push_back({0, v});
        std::sort(edges.begin(), edges.end(),
                  [](Edge a, Edge b) { return std::minmax(a.from, a.to) < std::minmax(b.from, b.to); });
        edges.erase(std::unique(edges.begin(), edges.end(),
                                [](Edge a, Edge b) { return std::minmax(a.from, a.to) == std::minmax(b.from, b.to); }),
                    edges.end());
        const std::int64_t nodes[] = {0, size}, ends[] = {0, static_cast<std::int64_t>(edges.size())};
        const GraphsView view{nodes, ends, labels, edges, {}, false};
        for (const bool node_labels : {true, false}) {
            const Sight sight{node_labels, false, true};
            Prepared simple(view, sight);
            check_alike(simple[0], Prepared(view, sight, 2)[0]);
            simple.become(view[0], sight);  // memory used again
            check_alike(simple[0], Prepared(view, sight, 2)[0]);
        }
    }
}

}  // namespace infmcs::tests
