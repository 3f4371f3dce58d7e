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

// What stands for a label or a type of edge: a hash of 64 bits.
using Key = std::uint64_t;

inline Key mixed(Key key) {  // splitmix64 (Steele, Lea, Flood 2014)
    key += 0x9E3779B97F4A7C15;
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB;
    return key ^ (key >> 31);
}

inline Key key_of(Nature nature) { return mixed(Key{static_cast<std::uint32_t>(nature.label)} << 32 | nature.loop); }

// The type of an edge is what it is and what its ends are. Both ends see the same type, each as end 0 or 1; both as
// end 0 where the ends are alike.
struct End {
    Key type;
    int end;
};
End end_of(Nature here, Nature there, Kind kind);
inline Key type_of_loop(std::int32_t label, std::uint32_t loop) { return mixed(~key_of({label, loop})); }

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
