#include "shelf.hpp"

#include <algorithm>
#include <stdexcept>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace infmcs {

namespace {

// Calls work with the numbers in the type they are stored in.
template <class Work>
void with_numbers(const Narrow& narrow, const Work& work) {
    if (narrow.width == 1) return work(narrow.bytes);
    if (narrow.width == 2) return work(reinterpret_cast<const std::uint16_t*>(narrow.bytes));
    work(reinterpret_cast<const std::int32_t*>(narrow.bytes));
}

}  // namespace

PreparedGraph Reader::take(const Shelf& shelf, std::size_t i, Sight sight, bool directed) {
    const auto size = static_cast<std::size_t>(shelf.size(i));
    const auto links = static_cast<std::size_t>(shelf.edge_count(i));
    const auto node = static_cast<std::size_t>(shelf.node_offsets[i]);
    const auto edge = static_cast<std::size_t>(shelf.edge_offsets[i]);
    labels_.resize(size);
    edges_.resize(links);
    with_numbers(shelf.labels, [&](const auto* codes) {
        for (std::size_t k = 0; k < size; ++k) {
            const auto code = static_cast<std::size_t>(codes[node + k]);
            if (code >= shelf.label_ids.size()) throw std::out_of_range("a label outside the vocabulary");
            labels_[k] = shelf.label_ids[code];
        }
    });
    with_numbers(shelf.edges, [&](const auto* ends) {
        std::size_t most = 0;
        for (std::size_t k = 0; k < links; ++k) {
            const auto from = ends[2 * (edge + k)], to = ends[2 * (edge + k) + 1];
            edges_[k] = {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)};
            most = std::max({most, static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
        }
        if (links && most >= size) throw std::out_of_range("an edge to a node that is not there");
    });
    edge_labels_.clear();
    if (sight.edge_labels && shelf.edge_labels.width)
        for (std::size_t k = 0; k < links; ++k) {
            const auto code = static_cast<std::size_t>(shelf.edge_labels[edge + k]);
            if (code >= shelf.edge_label_ids.size()) throw std::out_of_range("an edge label outside the vocabulary");
            edge_labels_.push_back(shelf.edge_label_ids[code]);
        }
    prepared_.become({static_cast<std::int32_t>(size), labels_, edges_, edge_labels_, directed}, sight);
    return prepared_[0];
}

std::int32_t overlap(const Narrow& rows, std::size_t width, std::size_t i, std::size_t first, std::size_t last,
                     std::span<const std::int32_t> query, std::span<const std::uint8_t> narrow_query) {
    std::int32_t sum = 0;
    std::size_t k = first;
    if (rows.width == 1) {
        const std::uint8_t* const row = rows.bytes + i * width;
#ifdef __SSE2__
        __m128i sums = _mm_setzero_si128();
        for (; k + 16 <= last; k += 16) {
            const __m128i ours = _mm_loadu_si128(reinterpret_cast<const __m128i*>(narrow_query.data() + k));
            const __m128i theirs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + k));
            sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_min_epu8(ours, theirs), _mm_setzero_si128()));
        }
        sum = _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
#endif
        for (; k < last; ++k) sum += std::min(row[k], narrow_query[k]);
        return sum;
    }
    for (; k < last; ++k) sum += std::min(rows[i * width + k], query[k]);
    return sum;
}

}  // namespace infmcs
