#include "links.hpp"

#include <algorithm>
#include <tuple>

namespace infmcs {

End end_of(Nature here, Nature there, Kind kind) {
    const auto one = std::tuple(here, there, kind), other = std::tuple(there, here, Kind{kind << 32 | kind >> 32});
    const auto& [from, to, way] = std::min(one, other);
    return {mixed(key_of(from) ^ mixed(key_of(to) ^ mixed(way))), other < one};
}

Links links_of(const GraphView& graph, Sight sight, std::span<const std::int32_t> place) {
    const auto size = static_cast<std::size_t>(graph.size);
    Links found{{}, std::vector<Nature>(size), std::vector<std::uint32_t>(size, 0)};
    auto& links = found.links;
    links.reserve(2 * graph.edges.size());
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const auto [from, to] = graph.edges[i];
        const std::int32_t label = sight.edge_labels && !graph.edge_labels.empty() ? graph.edge_labels[i] : 0;
        const auto code = static_cast<std::uint32_t>(label) + 1;
        const auto u = place[static_cast<std::size_t>(from)], v = place[static_cast<std::size_t>(to)];
        if (u == v) {
            found.loops[static_cast<std::size_t>(u)] = code;
        } else {
            const Kind out = Kind{code} << 32, in = code;
            links.push_back({u, v, graph.directed ? out : out | in});
            links.push_back({v, u, graph.directed ? in : out | in});
        }
    }
    std::sort(links.begin(), links.end());
    if (sight.induced) {
        std::size_t kept = 0;
        for (const Link& link : links) {
            if (kept && links[kept - 1].from == link.from && links[kept - 1].to == link.to)
                links[kept - 1].kind |= link.kind;
            else
                links[kept++] = link;
        }
        links.resize(kept);
    }
    for (std::size_t v = 0; v < size; ++v) {
        const auto here = static_cast<std::size_t>(place[v]);
        found.natures[here] = {sight.node_labels ? graph.labels[v] : 0, sight.induced ? found.loops[here] : 0};
    }
    return found;
}

}  // namespace infmcs
