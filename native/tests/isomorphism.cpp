#include "../isomorphism.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"

namespace infmcs::tests {

namespace {

struct Packed {
    std::vector<std::int64_t> nodes{0}, edges{0};
    std::vector<std::int32_t> labels;
    std::vector<Edge> links;

    void add(std::vector<std::int32_t> names, std::vector<Edge> pairs) {
        labels.insert(labels.end(), names.begin(), names.end());
        links.insert(links.end(), pairs.begin(), pairs.end());
        nodes.push_back(static_cast<std::int64_t>(labels.size()));
        edges.push_back(static_cast<std::int64_t>(links.size()));
    }
    std::vector<std::int32_t> classes() const {
        Meter meter({});
        return isomorphism_classes({nodes, edges, labels, links, {}, false}, {}, meter);
    }
};

}  // namespace

void isomorphism() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        const int size = static_cast<int>(random() % 40);
        std::vector<std::int32_t> labels, order(static_cast<std::size_t>(size));
        for (int v = 0; v < size; ++v) labels.push_back(static_cast<std::int32_t>(random() % 2));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        std::vector<std::int32_t> moved(labels.size());
        for (std::size_t v = 0; v < labels.size(); ++v) moved[static_cast<std::size_t>(order[v])] = labels[v];
        std::vector<Edge> pairs, images;
        for (int v = 0; v < size; ++v)
            for (int u = 0; u <= v; ++u)
                if (random() % 5 == 0) {
                    const auto [a, b] =
                        std::minmax(order[static_cast<std::size_t>(u)], order[static_cast<std::size_t>(v)]);
                    pairs.push_back({u, v});
                    images.push_back({a, b});
                }
        Packed both;
        both.add(labels, pairs);
        both.add(moved, images);
        if (!images.empty()) images.pop_back();
        both.add(moved, images);
        const std::int32_t third = pairs.empty() ? 0 : 1;
        CHECK((both.classes() == std::vector<std::int32_t>{0, 0, third}));
    }
    for (int trial = 0; trial < 10; ++trial) {  // colours take a hundred rounds from the ends of a path to its middle
        const int size = 200 + static_cast<int>(random() % 100), at = static_cast<int>(random() % 90);
        std::vector<std::int32_t> order(static_cast<std::size_t>(size));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const auto path = [&](int marked, bool moved) {
            std::vector<std::int32_t> labels(order.size(), 0);
            std::vector<Edge> edges;
            const auto number = [&](int v) { return moved ? order[static_cast<std::size_t>(v)] : v; };
            labels[static_cast<std::size_t>(number(marked))] = 1;
            for (int v = 0; v + 1 < size; ++v) {
                const std::int32_t one = number(v), other = number(v + 1);
                edges.push_back({std::min(one, other), std::max(one, other)});
            }
            return std::pair(labels, edges);
        };
        Packed some;
        for (const auto& [marked, moved] : {std::pair(at, false), {at, true}, {size - 1 - at, true}, {at + 1, true}}) {
            const auto [labels, edges] = path(marked, moved);
            some.add(labels, edges);
        }
        CHECK((some.classes() == std::vector<std::int32_t>{0, 0, 0, 1}));
    }
    CHECK(Packed{}.classes().empty());
}

}  // namespace infmcs::tests
