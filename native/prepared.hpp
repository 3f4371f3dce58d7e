// Graphs made ready for a search, once each: nodes numbered by falling degree, neighbours as rows of bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bits.hpp"
#include "graph.hpp"
#include "links.hpp"

namespace infmcs {

// Not induced, edges matter one by one, with what is at their far end. Then a kind is one edge: its direction, its
// label and the label of the far node; and each has a type, by which edges of two graphs are counted against each
// other.
struct TypeCount {
    Key key;
    std::int32_t count;
};

// One prepared graph: pointers into the arrays of a Prepared. Rows have `words` words.
struct PreparedGraph {
    int size;
    int words;
    const std::int32_t* order;         // node k here is node order[k] of the graph
    const std::int32_t* place;         // the other way round
    const Nature* natures;             // one a node
    const Word* neighbours;            // one row a node; never the node itself
    const Word* twins;                 // one row a node: the nodes that a swap with it changes nothing
    const std::int32_t* first_kind;    // node k's kinds are first_kind[k] to first_kind[k + 1] of
    const Kind* kinds;                 //   the kinds that occur at it, rising,
    const Word* kind_rows;             //   and the neighbours so joined
    std::span<const Nature> classes;   // the natures that occur, rising
    const Word* class_rows;            // the nodes of each
    std::span<const Kind> all_kinds;   // the kinds that occur in the graph, rising
    std::int32_t edges;                // loops not counted
    const std::uint32_t* loops;        // one a node, 0 is none
    std::span<const TypeCount> types;  // not induced: rising by key, loops among them
    const std::int32_t* kind_types;    //   the type of each kind row
    const std::int32_t* loop_types;    //   and of each node's loop, -1 is none

    const Word* row(const Word* rows, int node) const { return rows + static_cast<std::ptrdiff_t>(node) * words; }
};

constexpr int most_words = 16;
constexpr int most_nodes = 64 * most_words;  // 1,024

class Prepared {
public:
    // `least_words` makes rows longer than needed, so that tests reach the code of large graphs with small ones.
    Prepared(const GraphsView& graphs, Sight sight, int least_words = 1);

    Prepared() = default;

    // Holds this graph and no other, in the memory that is there.
    void become(const GraphView& graph, Sight sight);

    std::size_t count() const { return graphs_.size(); }
    PreparedGraph operator[](std::size_t i) const;

private:
    struct Places {  // where a graph's part of each array begins
        std::int32_t size, words, classes, kinds, edges;
        std::size_t node, row, kind, kind_row, first_kind, nature, class_row, all_kind, type;
        std::int32_t types;
    };
    void add(const GraphView& graph, Sight sight, int least_words);
    void add_simple(const GraphView& graph, bool node_labels);
    Places places_of(std::int32_t size, int words) const;  // of a graph about to be added
    void add_types(Places& places, const Links& found, std::span<const Key> row_types);
    void add_twins(const Places& places);

    std::vector<Places> graphs_;
    std::vector<std::int32_t> order_, place_, first_kind_;
    std::vector<Nature> natures_, classes_;
    std::vector<Word> neighbours_, twins_, kind_rows_, class_rows_;
    std::vector<Kind> kinds_, all_kinds_;
    std::vector<std::uint32_t> loops_;
    std::vector<TypeCount> types_;
    std::vector<std::int32_t> kind_types_, loop_types_;
    std::vector<int> degrees_;  // of the graph being added
};

// 1, 2, 4, 8 or 16: the row lengths the searches are compiled for.
int words_for(int nodes);

}  // namespace infmcs
