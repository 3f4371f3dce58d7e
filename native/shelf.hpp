// Graphs as an index stores them: small numbers in small types, rows of counts beside them. Somebody else owns the
// arrays; a graph is prepared for a search when its turn comes, so that a million of them need no preparation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph.hpp"
#include "prepared.hpp"

namespace infmcs {

// Unsigned numbers of 1, 2 or 4 bytes.
struct Narrow {
    const std::uint8_t* bytes = nullptr;
    int width = 0;  // 0: there are none

    std::int32_t operator[](std::size_t i) const {
        if (width == 1) return bytes[i];
        if (width == 2) return reinterpret_cast<const std::uint16_t*>(bytes)[i];
        return reinterpret_cast<const std::int32_t*>(bytes)[i];
    }
};

struct Shelf {
    std::span<const std::int64_t> node_offsets, edge_offsets;  // count + 1
    Narrow labels, edges, edge_labels;                         // codes; ends of edges, two an edge
    std::span<const std::int32_t> label_ids, edge_label_ids;   // of each code, process-wide
    Narrow counts, stars, degrees;  // rows of count_width, star_width, degree_width; see index/signature.py
    std::size_t count_width = 0, label_width = 0, star_width = 0, degree_width = 0;
    bool directed = false;

    std::size_t count() const { return node_offsets.size() - 1; }
    std::int32_t size(std::size_t i) const { return static_cast<std::int32_t>(node_offsets[i + 1] - node_offsets[i]); }
    std::int32_t edge_count(std::size_t i) const {
        return static_cast<std::int32_t>(edge_offsets[i + 1] - edge_offsets[i]);
    }
};

// Takes graphs from shelves, one at a time, into memory that is used again.
class Reader {
public:
    // Throws std::out_of_range when the arrays contradict each other: a file made to mislead.
    PreparedGraph take(const Shelf& shelf, std::size_t i, Sight sight, bool directed);

private:
    std::vector<std::int32_t> labels_, edge_labels_;
    std::vector<Edge> edges_;
    Prepared prepared_;
};

// The sum of the smaller of each two counts.
std::int32_t overlap(const Narrow& rows, std::size_t width, std::size_t i, std::size_t first, std::size_t last,
                     std::span<const std::int32_t> query, std::span<const std::uint8_t> narrow_query);

}  // namespace infmcs
