#include "score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

// The loops below are compiled twice, for all x86-64 and for processors with 32-byte registers, and the loader chooses.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define INFMCS_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define INFMCS_CLONES
#endif
#define INFMCS_INLINE __attribute__((always_inline)) inline

namespace infmcs::score {

namespace {

// e^x for x <= 88 within 2e-7 of it, relatively: 2^n times a polynomial on [-ln 2 / 2, ln 2 / 2].
INFMCS_INLINE float exponential(float x) {
    x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    const float n = std::floor(x * 1.44269504f + 0.5f);
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

// Half precision by its bits; subnormal halves become 0, which is less than the store rounds away.
INFMCS_INLINE float from_half(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    const std::uint32_t rest = half & 0x7fffu;
    const std::uint32_t bits = rest < 0x0400u ? 0u : (rest << 13) + 0x38000000u;
    return std::bit_cast<float>(sign | bits);
}

// Eight numbers in one register, or in two. Sums that should stay in registers are written out with it, because arrays
// of the same size end up in memory.
using Lanes = float __attribute__((vector_size(32), aligned(4), may_alias));
constexpr std::size_t lane = 8, block = 2 * lane;

INFMCS_INLINE const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }
INFMCS_INLINE Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }

struct Side {  // one graph, unpacked
    int size;
    const std::int32_t* labels;
    const float *keys, *own, *partner;
};

// Closeness of all nodes of two graphs, and how to read it with either of them first.
struct Closeness {
    const float* values;
    std::size_t here, there;  // steps
};

struct Scratch {
    std::vector<std::int32_t> labels;
    std::vector<float> keys, own, partner, closeness, weights, nearest, scores, limits;
    std::vector<int> partners;
};

INFMCS_CLONES void unpack_bytes(const std::int8_t* from, const float* scales, std::size_t rows, std::size_t width,
                                float* to) {
    for (std::size_t i = 0; i < rows; ++i) {
        const float scale = scales[i];
#pragma omp simd
        for (std::size_t k = 0; k < width; ++k) to[i * width + k] = static_cast<float>(from[i * width + k]) * scale;
    }
}

INFMCS_CLONES void unpack_halves(const std::uint16_t* from, std::size_t count, float* to) {
#pragma omp simd
    for (std::size_t k = 0; k < count; ++k) to[k] = from_half(from[k]);
}

const float* unpacked(Store store, const void* all, const float* scales, std::size_t first, std::size_t rows,
                      std::size_t width, std::vector<float>& room) {
    if (store == Store::float32) return static_cast<const float*>(all) + first * width;
    if (room.size() < rows * width) room.resize(rows * width);
    if (store == Store::float16)
        unpack_halves(static_cast<const std::uint16_t*>(all) + first * width, rows * width, room.data());
    else
        unpack_bytes(static_cast<const std::int8_t*>(all) + first * width, scales + first, rows, width, room.data());
    return room.data();
}

// Products of each of these rows with each column of `columns` (width x padded).
INFMCS_CLONES void products(const float* rows, std::size_t count, const float* columns, std::size_t padded,
                            std::size_t width, float* found) {
    for (std::size_t j = 0; j < count; ++j)
        for (std::size_t first = 0; first < padded; first += block) {
            Lanes low = {}, high = {};
            for (std::size_t k = 0; k < width; ++k) {
                const float factor = rows[j * width + k];
                const float* const column = columns + k * padded + first;
                low += factor * lanes(column);
                high += factor * lanes(column + lane);
            }
            lanes(found + j * padded + first) = low;
            lanes(found + j * padded + first + lane) = high;
        }
}

// Minus squared distances, and 1: from products and the squares of both sides.
INFMCS_CLONES void distances(const float* rows, std::size_t count, const float* squares, std::size_t padded,
                             std::size_t width, float* found) {
    for (std::size_t j = 0; j < count; ++j) {
        float own = 0;
#pragma omp simd reduction(+ : own)
        for (std::size_t k = 0; k < width; ++k) own += rows[j * width + k] * rows[j * width + k];
#pragma omp simd
        for (std::size_t m = 0; m < padded; ++m) {
            const float square = own + squares[m] - 2 * found[j * padded + m];
            found[j * padded + m] = 1 - (square > 0 ? square : 0);
        }
    }
}

// The score of each node of the first graph, and of how many nodes its partner could be one: scratch.scores, limits.
INFMCS_CLONES void node_scores(const Head& head, const Side& here, const Side& there, const Closeness& closeness,
                               Scratch& scratch) {
    const auto width = static_cast<std::size_t>(head.width);
    const auto ours = static_cast<std::size_t>(here.size), theirs = static_cast<std::size_t>(there.size);
    float* const weights = scratch.weights.data();
    int* const partners = scratch.partners.data();
    float* const scores = scratch.scores.data();
    float* const nearest = scratch.nearest.data();
    float* const limits = scratch.limits.data();
    const float* const second = head.second;
    const float sharpness = 1 / head.temperature;
    for (std::size_t i = 0; i < ours; ++i) {
        std::size_t count = 0;
        float most = -INFINITY;
        for (std::size_t j = 0; j < theirs; ++j) {
            if (head.labels && there.labels[j] != here.labels[i]) continue;
            const float value = closeness.values[i * closeness.here + j * closeness.there];
            partners[count] = static_cast<int>(j);
            weights[count++] = value;
            most = value > most ? value : most;
        }
        limits[i] = static_cast<float>(count);
        nearest[i] = count ? most : 0;
        scores[i] = 0;
        if (!count) continue;
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (std::size_t m = 0; m < count; ++m) {
            weights[m] = exponential((weights[m] - most) * sharpness);
            total += weights[m];
        }
        const float share = 1 / total;
#pragma omp simd
        for (std::size_t m = 0; m < count; ++m) weights[m] *= share;
        const float* const own = here.own + i * width;
        Lanes low = {}, high = {};
        const Lanes zero = {};
        std::size_t k = 0;
        for (; k + block <= width; k += block) {
            Lanes hidden_low = lanes(own + k), hidden_high = lanes(own + k + lane);
            for (std::size_t m = 0; m < count; ++m) {
                const float weight = weights[m];
                const float* const value = there.partner + static_cast<std::size_t>(partners[m]) * width + k;
                hidden_low += weight * lanes(value);
                hidden_high += weight * lanes(value + lane);
            }
            low += (hidden_low > zero ? hidden_low : zero) * lanes(second + k);
            high += (hidden_high > zero ? hidden_high : zero) * lanes(second + k + lane);
        }
        float logit = head.bias;
        low += high;
        for (std::size_t n = 0; n < lane; ++n) logit += low[n];
        for (; k < width; ++k) {
            float hidden = own[k];
            for (std::size_t m = 0; m < count; ++m)
                hidden += weights[m] * there.partner[static_cast<std::size_t>(partners[m]) * width + k];
            logit += (hidden > 0 ? hidden : 0) * second[k];
        }
        scores[i] = logit;
    }
    const float steepness = head.steepness;
#pragma omp simd
    for (std::size_t i = 0; i < ours; ++i) {
        const float score = 1 / (1 + exponential(-scores[i]));
        const float distance = nearest[i] < 1 ? 1 - nearest[i] : 0;
        const float apart = steepness > 0 ? 1 - exponential(-steepness * distance) : 1.0f;
        scores[i] = limits[i] > 0 ? 1 - (1 - score) * apart : 0;
    }
}

// How many nodes the first graph has in common with the second, by the model: the sum of the scores, of each label at
// most as much as the other graph has of it.
float common(const Head& head, const Side& here, const Side& there, const Closeness& closeness, Scratch& scratch) {
    const auto size = static_cast<std::size_t>(here.size), most = std::max(size, static_cast<std::size_t>(there.size));
    if (scratch.scores.size() < most) {
        for (auto* room : {&scratch.scores, &scratch.limits, &scratch.nearest, &scratch.weights}) room->resize(most);
        scratch.partners.resize(most);
    }
    node_scores(head, here, there, closeness, scratch);
    float total = 0;
    if (!head.bounded) {
        for (std::size_t i = 0; i < size; ++i) total += scratch.scores[i];
        return total;
    }
    for (std::size_t i = 0; i < size; ++i) {  // once a label, at its first node
        const std::int32_t label = here.labels[i];
        bool first = true;
        for (std::size_t k = 0; k < i && first; ++k) first = here.labels[k] != label;
        if (!first) continue;
        float promised = 0;
        for (std::size_t k = i; k < size; ++k)
            if (here.labels[k] == label) promised += scratch.scores[k];
        float limit = scratch.limits[i];
        if (!head.labels) limit = static_cast<float>(std::count(there.labels, there.labels + there.size, label));
        total += std::min(promised, limit);
    }
    return total;
}

Side side(const Vectors& vectors, std::size_t i, int width, bool as_first, bool as_second, Scratch& scratch) {
    const auto first = static_cast<std::size_t>(vectors.node_offsets[i]);
    const auto rows = static_cast<std::size_t>(vectors.node_offsets[i + 1]) - first;
    const auto columns = static_cast<std::size_t>(width);
    scratch.labels.resize(rows);
    for (std::size_t k = 0; k < rows; ++k) {
        const auto code = vectors.labels[first + k];
        if (!vectors.label_ids.empty() && static_cast<std::size_t>(code) >= vectors.label_ids.size())
            throw std::out_of_range("a label outside the vocabulary");
        scratch.labels[k] = vectors.label_ids.empty() ? code : vectors.label_ids[static_cast<std::size_t>(code)];
    }
    Side found{static_cast<int>(rows), scratch.labels.data(), nullptr, nullptr, nullptr};
    found.keys = unpacked(vectors.store, vectors.keys, vectors.key_scales, first, rows, columns, scratch.keys);
    if (as_first)
        found.own = unpacked(vectors.store, vectors.own, vectors.own_scales, first, rows, columns, scratch.own);
    if (as_second)
        found.partner =
            unpacked(vectors.store, vectors.partner, vectors.partner_scales, first, rows, columns, scratch.partner);
    return found;
}

}  // namespace

bool scores(const Head& head, const Vectors& query, const Vectors& graphs, std::span<const std::int64_t> places,
            std::span<float> similarity, int threads, const Watch& watch) {
    Scratch none;
    const Side ours = side(query, 0, head.width, true, true, none);
    const auto width = static_cast<std::size_t>(head.width), nodes = static_cast<std::size_t>(ours.size);
    const std::size_t padded = (nodes + block - 1) / block * block;
    std::vector<float> columns(width * padded), squares(padded);  // the query's keys, turned
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t k = 0; k < width; ++k) {
            const float value = ours.keys[i * width + k];
            columns[k * padded + i] = value;
            squares[i] += value * value;
        }
    return for_chunks(
        places.size(), 512, threads, watch,
        [&](std::size_t first, std::size_t last, const std::atomic<bool>& cancelled) {
            Scratch scratch;
            for (std::size_t k = first; k < last && !cancelled; ++k) {
                const auto i = static_cast<std::size_t>(places[k]);
                const auto size = graphs.node_offsets[i + 1] - graphs.node_offsets[i];
                const Side theirs = side(graphs, i, head.width, size <= ours.size, size >= ours.size, scratch);
                const auto rows = static_cast<std::size_t>(size);
                if (scratch.closeness.size() < rows * padded) scratch.closeness.resize(rows * padded);
                products(theirs.keys, rows, columns.data(), padded, width, scratch.closeness.data());
                if (head.likeness == Likeness::euclidean)
                    distances(theirs.keys, rows, squares.data(), padded, width, scratch.closeness.data());
                const Closeness forth{scratch.closeness.data(), 1, padded}, back{scratch.closeness.data(), padded, 1};
                float found = 0;
                if (size >= ours.size) found = common(head, ours, theirs, forth, scratch);
                if (size < ours.size) found = common(head, theirs, ours, back, scratch);
                if (size == ours.size) found = (found + common(head, theirs, ours, back, scratch)) / 2;
                const auto total = static_cast<float>(size + ours.size);
                similarity[k] = total > 0 ? std::min(1.0f, 2 * found / total) : 1.0f;
            }
        });
}

}  // namespace infmcs::score
