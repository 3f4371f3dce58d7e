// Graphs as the core sees them: spans over flat arrays that somebody else owns and has validated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace infmcs {

struct Edge {
    std::int32_t from, to;
};

// One graph. Labels are process-wide ids of label names, so any two graphs can be compared.
struct GraphView {
    std::int32_t size = 0;
    std::span<const std::int32_t> labels;       // one a node
    std::span<const Edge> edges;                // undirected: from <= to, each once; loops allowed
    std::span<const std::int32_t> edge_labels;  // one an edge, or empty
    bool directed = false;
};

// Many graphs packed one after another; the edges of each count its nodes from 0.
struct GraphsView {
    std::span<const std::int64_t> node_offsets;  // count + 1
    std::span<const std::int64_t> edge_offsets;  // count + 1
    std::span<const std::int32_t> labels;
    std::span<const Edge> edges;
    std::span<const std::int32_t> edge_labels;  // or empty
    bool directed = false;

    std::size_t count() const { return node_offsets.empty() ? 0 : node_offsets.size() - 1; }

    GraphView operator[](std::size_t i) const {
        const auto node = static_cast<std::size_t>(node_offsets[i]);
        const auto edge = static_cast<std::size_t>(edge_offsets[i]);
        const auto nodes = static_cast<std::size_t>(node_offsets[i + 1]) - node;
        const auto links = static_cast<std::size_t>(edge_offsets[i + 1]) - edge;
        return {static_cast<std::int32_t>(nodes), labels.subspan(node, nodes), edges.subspan(edge, links),
                edge_labels.empty() ? edge_labels : edge_labels.subspan(edge, links), directed};
    }
};

}  // namespace infmcs
