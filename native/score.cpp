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

struct Side {  // one graph, unpacked
    int size;
    const std::int32_t* labels;
    const float *keys, *own, *partner;
};

struct Scratch {
    std::vector<std::int32_t> labels;
    std::vector<float> keys, own, partner, closeness, sum, node_scores, limits;
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

// How many nodes the first graph has in common with the second, by the model: Σ_i s_i.
INFMCS_CLONES float common(const Head& head, const Side& here, const Side& there, Scratch& scratch) {
    const auto width = static_cast<std::size_t>(head.width);
    const auto theirs = static_cast<std::size_t>(there.size);
    if (scratch.closeness.size() < theirs) scratch.closeness.resize(theirs), scratch.partners.resize(theirs);
    if (scratch.sum.size() < width) scratch.sum.resize(width);
    float* const closeness = scratch.closeness.data();
    int* const partners = scratch.partners.data();
    float* const sum = scratch.sum.data();
    const float* const second = head.second;
    const bool euclidean = head.likeness == Likeness::euclidean;
    float total = 0;
    for (int i = 0; i < here.size; ++i) {
        const float* const key = here.keys + static_cast<std::size_t>(i) * width;
        std::size_t count = 0;
        float nearest = -INFINITY;
        for (std::size_t j = 0; j < theirs; ++j) {
            if (head.labels && there.labels[j] != here.labels[i]) continue;
            const float* const other = there.keys + j * width;
            float product = 0;
            if (euclidean) {
#pragma omp simd reduction(+ : product)
                for (std::size_t k = 0; k < width; ++k) product += (key[k] - other[k]) * (key[k] - other[k]);
                product = 1 - product;
            } else {
#pragma omp simd reduction(+ : product)
                for (std::size_t k = 0; k < width; ++k) product += key[k] * other[k];
            }
            partners[count] = static_cast<int>(j);
            closeness[count++] = product;
            nearest = std::max(nearest, product);
        }
        if (!count) continue;
        const float sharpness = 1 / head.temperature;
        float weights = 0;
#pragma omp simd reduction(+ : weights)
        for (std::size_t m = 0; m < count; ++m) {
            closeness[m] = exponential((closeness[m] - nearest) * sharpness);
            weights += closeness[m];
        }
#pragma omp simd
        for (std::size_t k = 0; k < width; ++k) sum[k] = 0;
        for (std::size_t m = 0; m < count; ++m) {
            const float weight = closeness[m];
            const float* const value = there.partner + static_cast<std::size_t>(partners[m]) * width;
#pragma omp simd
            for (std::size_t k = 0; k < width; ++k) sum[k] += weight * value[k];
        }
        const float share = 1 / weights;
        const float* const own = here.own + static_cast<std::size_t>(i) * width;
        float logit = 0;
#pragma omp simd reduction(+ : logit)
        for (std::size_t k = 0; k < width; ++k) {
            const float hidden = own[k] + sum[k] * share;
            logit += (hidden > 0 ? hidden : 0) * second[k];
        }
        float score = 1 / (1 + exponential(-(logit + head.bias)));
        if (head.steepness > 0) {
            const float distance = nearest < 1 ? 1 - nearest : 0;
            score = 1 - (1 - score) * (1 - exponential(-head.steepness * distance));
        }
        if (!head.bounded) {
            total += score;
            continue;
        }
        scratch.node_scores[static_cast<std::size_t>(i)] = score;
        scratch.limits[static_cast<std::size_t>(i)] = static_cast<float>(count);
    }
    return total;
}

// The same with no label promising more nodes than the other graph has of it.
float bounded(const Head& head, const Side& here, const Side& there, Scratch& scratch) {
    const auto size = static_cast<std::size_t>(here.size);
    scratch.node_scores.assign(size, 0);
    scratch.limits.assign(size, 0);
    float total = common(head, here, there, scratch);
    if (!head.bounded) return total;
    for (std::size_t i = 0; i < size; ++i) {  // once a label, at its first node
        bool first = true;
        for (std::size_t k = 0; k < i && first; ++k) first = here.labels[k] != here.labels[i];
        if (!first) continue;
        float promised = 0;
        for (std::size_t k = i; k < size; ++k)
            if (here.labels[k] == here.labels[i]) promised += scratch.node_scores[k];
        float limit = scratch.limits[i];
        if (!head.labels)
            limit = static_cast<float>(std::count(there.labels, there.labels + there.size, here.labels[i]));
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
    return for_chunks(places.size(), 512, threads, watch,
                      [&](std::size_t first, std::size_t last, const std::atomic<bool>& cancelled) {
                          Scratch scratch;
                          for (std::size_t k = first; k < last && !cancelled; ++k) {
                              const auto i = static_cast<std::size_t>(places[k]);
                              const auto size = graphs.node_offsets[i + 1] - graphs.node_offsets[i];
                              const auto total = static_cast<float>(size + ours.size);
                              const Side theirs =
                                  side(graphs, i, head.width, size <= ours.size, size >= ours.size, scratch);
                              float found = 0;
                              if (size >= ours.size) found = bounded(head, ours, theirs, scratch);
                              if (size < ours.size) found = bounded(head, theirs, ours, scratch);
                              if (size == ours.size) found = (found + bounded(head, theirs, ours, scratch)) / 2;
                              similarity[k] = total > 0 ? std::min(1.0f, 2 * found / total) : 1.0f;
                          }
                      });
}

}  // namespace infmcs::score
