// What joins the nodes of a graph, as a question sees it: the one place where edges, arcs, labels and loops are read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"

namespace infmcs {

// What about labels and directions a question looks at.
struct Sight {
    bool node_labels = true;
    bool edge_labels = false;
    bool induced = true;
};

// How one node is joined to another, as one number: the label of the edge out and of the edge in, each plus 1,
// 0 where there is none. Undirected edges have the same label both ways. Without labels an edge counts as label 0.
using Kind = std::uint64_t;

// What a node must share with its partner: its label and, induced, the kind of its loop.
struct Nature {
    std::int32_t label;
    std::uint32_t loop;  // 0 is none
    auto operator<=>(const Nature&) const = default;
};

struct Link {
    std::int32_t from, to;
    Kind kind;
    auto operator<=>(const Link&) const = default;
};

// Each ordered pair of adjacent nodes with its kind, sorted. Opposite arcs are one link, out and in together; not
// induced, they are two, because one of them may be common without the other.
struct Links {
    std::vector<Link> links;
    std::vector<Nature> natures;       // one a node
    std::vector<std::uint32_t> loops;  // one a node: what Nature::loop is when it counts
};

// Node v of the graph is called place[v].
Links links_of(const GraphView& graph, Sight sight, std::span<const std::int32_t> place);

}  // namespace infmcs
