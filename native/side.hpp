// One of two graphs in a search, with rows of the search's own length.
#pragma once

#include <vector>

#include "bits.hpp"
#include "prepared.hpp"

namespace infmcs {

template <std::size_t Words>
class Side {
public:
    using Set = Bits<Words>;

    // Rows are used in place where they have the right length, else copied once, longer.
    void look_at(const PreparedGraph& graph) {
        graph_ = graph;
        if (graph.words == static_cast<int>(Words)) return;
        const std::size_t kinds = static_cast<std::size_t>(graph.first_kind[graph.size]);
        const auto nodes = static_cast<std::size_t>(graph.size);
        graph_.neighbours = stretched(graph.neighbours, nodes, neighbours_);
        graph_.twins = stretched(graph.twins, nodes, twins_);
        graph_.kind_rows = stretched(graph.kind_rows, kinds, kind_rows_);
        graph_.class_rows = stretched(graph.class_rows, graph.classes.size(), class_rows_);
        graph_.words = static_cast<int>(Words);
    }

    int size() const { return graph_.size; }
    const PreparedGraph& graph() const { return graph_; }
    const Set& neighbours(int node) const { return row(graph_.neighbours, node); }
    const Set& twins(int node) const { return row(graph_.twins, node); }
    const Set& class_row(std::size_t i) const { return row(graph_.class_rows, static_cast<int>(i)); }
    const Set& kind_row(int i) const { return row(graph_.kind_rows, i); }
    int first_kind(int node) const { return graph_.first_kind[node]; }
    Kind kind(int i) const { return graph_.kinds[i]; }

private:
    static const Set& row(const Word* rows, int i) { return Set::at(rows + static_cast<std::ptrdiff_t>(i) * Words); }

    const Word* stretched(const Word* rows, std::size_t count, std::vector<Word>& longer) const {
        const auto words = static_cast<std::size_t>(graph_.words);
        longer.assign(count * Words, 0);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t k = 0; k < words; ++k) longer[i * Words + k] = rows[i * words + k];
        return longer.data();
    }

    PreparedGraph graph_{};
    std::vector<Word> neighbours_, twins_, kind_rows_, class_rows_;
};

}  // namespace infmcs
