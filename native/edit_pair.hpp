// Edit costs of any kind, and two graphs seen through them: what every method for general costs works on.
//
// Labels are kinds, small numbers that mean the same on both sides; 0 stands for nothing, so row 0 of a price table is
// insertion and column 0 deletion. A loop belongs to its node's kind.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph.hpp"

namespace infmcs::ged {

constexpr int most_costed_nodes = 256;  // memory of a search grows with the cube of this

// Prices that need no table: one for each deletion, insertion, and change of kind; keeping the kind is free.
struct Plain {
    double remove = 0, insert = 0, change = 0;  // change is never more than removing and inserting

    // The cheapest way to turn `left` things into `right` things, of which `common` are of the same kind.
    double operator()(int left, int right, int common) const {
        const int a = left - common, b = right - common;
        const int both = a < b ? a : b;
        return both * change + (a - both) * remove + (b - both) * insert;
    }
};

struct Prices {
    int node_kinds = 1, edge_kinds = 1;  // with the kind 'nothing'
    std::vector<double> node, edge;      // [left kind * kinds + right kind]
    bool whole = false;                  // every price is a whole number
    std::vector<double> edge_gain;       // what keeping an edge saves against deleting and inserting it: <= 0
    std::optional<Plain> plain_node, plain_edge;

    Prices(int node_kinds, int edge_kinds, std::vector<double> node, std::vector<double> edge, bool whole);
    double of_node(int a, int b) const { return node[static_cast<std::size_t>(a * node_kinds + b)]; }
    double of_edge(int a, int b) const { return edge[static_cast<std::size_t>(a * edge_kinds + b)]; }
};

// An edge as seen from one end: kinds of the arc that leaves and of the arc that enters. Undirected: both in `out`.
struct Tie {
    std::int32_t to;
    std::uint16_t out, in;
};

// One graph made ready: nodes in connected order.
struct Costed {
    int size = 0;
    bool directed = false;
    std::vector<std::int32_t> number;  // node k here is node number[k] of the graph
    std::vector<std::int32_t> kinds;
    std::vector<std::int32_t> first;  // node k's ties are ties[first[k]] to ties[first[k + 1]]
    std::vector<Tie> ties;
    std::vector<std::int32_t> first_twin, twins;  // earlier nodes that an exchange with it changes nothing
};

// `graph` has kinds as labels of nodes and edges, and no loops.
Costed prepare_costed(const GraphView& graph);

// A pair of graphs under prices. An image is a right node, or -1: deleted.
class Pair {
public:
    int n = 0, m = 0;
    bool directed = false;
    const Costed *left = nullptr, *right = nullptr;
    const Prices* prices = nullptr;
    std::vector<double> keep;                // [u * m + v]: the node's own price of u -> v
    std::vector<double> remove, insert;      // likewise
    std::vector<std::uint16_t> here, there;  // kind of the edge u - v (directed: of the arc), 0 for none: [u * n + v]

    void load(const Costed& a, const Costed& b, const Prices& all);

    // What the edges between u, x and between their images v, y cost. An image may be -1.
    double between(int u, int x, int v, int y) const {
        const bool both = v >= 0 && y >= 0;
        double cost = prices->of_edge(here[spot(u, x, n)], both ? there[spot(v, y, m)] : 0);
        if (directed) cost += prices->of_edge(here[spot(x, u, n)], both ? there[spot(y, v, m)] : 0);
        return cost;
    }
    double removal(const Tie& tie) const { return prices->of_edge(tie.out, 0) + prices->of_edge(tie.in, 0); }
    double insertion(const Tie& tie) const { return prices->of_edge(0, tie.out) + prices->of_edge(0, tie.in); }
    double keeping(int u, int v) const { return keep[spot(u, v, m)]; }

    // What deleting everything and inserting everything costs.
    double everything() const { return everything_; }

    // What a whole mapping costs.
    double cost(const int* images) const;

    // The part of that cost that u -> v changes, all else as it is; `without` counts as deleted.
    double local(int u, int v, const int* images, int without = -1) const;

    // Exchanges images, moves them to unused nodes, deletes and undeletes, until nothing of that helps.
    void descend(int* images) const;

    template <class Visit>
    void each_tie(const Costed& graph, int node, Visit visit) const {
        for (int i = graph.first[static_cast<std::size_t>(node)]; i < graph.first[static_cast<std::size_t>(node) + 1];
             ++i)
            visit(graph.ties[static_cast<std::size_t>(i)]);
    }

private:
    static std::size_t spot(int row, int column, int width) { return static_cast<std::size_t>(row * width + column); }

    double everything_ = 0;  // the price of deleting all and inserting all
};

}  // namespace infmcs::ged
