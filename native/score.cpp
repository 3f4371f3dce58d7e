#include "score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

// The loops below are compiled for all x86-64, for processors with 32-byte registers and for those with 64-byte ones,
// and the loader chooses.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define INFMCS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define INFMCS_CLONES
#endif
#define INFMCS_INLINE __attribute__((always_inline)) inline
#pragma GCC diagnostic ignored "-Wpsabi"  // how wide registers are passed; what passes them here is always inlined

namespace infmcs::score {

namespace {

// Sixteen numbers: one register, or two, or four. Rows and lists of nodes are padded to whole ones, so that no loop has
// a rest: a graph of ten nodes is all rest.
constexpr std::size_t lane = 16;
using Lanes = float __attribute__((vector_size(64), aligned(4), may_alias));
using Marks = std::int32_t __attribute__((vector_size(64), aligned(4), may_alias));  // 0 or -1 where a mask

INFMCS_INLINE const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }
INFMCS_INLINE Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }
INFMCS_INLINE const Marks& marks(const std::int32_t* at) { return *reinterpret_cast<const Marks*>(at); }
constexpr std::size_t padded(std::size_t count) { return (count + lane - 1) / lane * lane; }

// e^x within 2e-7 of it, relatively, for -87 <= x <= 88, and beyond as if x were there: 2^n times a polynomial on
// [-ln 2 / 2, ln 2 / 2]. Adding `round` leaves a whole number in the last bits.
INFMCS_INLINE Lanes exponential(Lanes x) {
    const Lanes least = Lanes{} - 87.0f, most = Lanes{} + 88.0f, round = Lanes{} + 12582912.0f;
    x = x < least ? least : x > most ? most : x;
    const Lanes shifted = x * 1.44269504f + round;
    const Lanes n = shifted - round;
    const Lanes r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    Lanes p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const Marks power = ((Marks)shifted - (Marks)round + 127) << 23;
    return p * (Lanes)power;
}

// All numbers of a register together, in four steps and no branch.
INFMCS_INLINE float sum(Lanes x) {
    x += __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    return (x[0] + x[2]) + (x[1] + x[3]);
}

INFMCS_INLINE Lanes larger(Lanes x, Lanes y) { return x > y ? x : y; }

// The largest in all places.
INFMCS_INLINE Lanes largest(Lanes x) {
    x = larger(x, __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    x = larger(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    x = larger(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    return larger(x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
}

// Half precision by its bits; subnormal halves become 0, which is less than the store rounds away.
INFMCS_INLINE float from_half(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
    const std::uint32_t rest = half & 0x7fffu;
    const std::uint32_t bits = rest < 0x0400u ? 0u : (rest << 13) + 0x38000000u;
    return std::bit_cast<float>(sign | bits);
}

struct Side {  // one graph, unpacked: rows of `stride` numbers, labels and kinds up to padded(size)
    std::size_t size = 0, stride = 0;
    const std::int32_t *labels = nullptr, *kinds = nullptr;  // past the end: nobody's. Partners are of one kind
    const float *keys = nullptr, *own = nullptr, *partner = nullptr;
};
constexpr std::int32_t nobodys = -1;

struct Scratch {
    std::vector<std::int32_t> labels, kinds;
    std::vector<float> keys, own, partner, closeness, weights, shares, nearest, limits, logits;
};

float* room(std::vector<float>& numbers, std::size_t count) {
    if (numbers.size() < count) numbers.resize(count);
    return numbers.data();
}

INFMCS_CLONES void unpack_bytes(const std::int8_t* from, const float* scales, std::size_t rows, std::size_t width,
                                std::size_t stride, float* to) {
    for (std::size_t i = 0; i < rows; ++i) {
        const float scale = scales[i];
#pragma omp simd
        for (std::size_t k = 0; k < width; ++k) to[i * stride + k] = static_cast<float>(from[i * width + k]) * scale;
        for (std::size_t k = width; k < stride; ++k) to[i * stride + k] = 0;
    }
}

INFMCS_CLONES void unpack_halves(const std::uint16_t* from, std::size_t rows, std::size_t width, std::size_t stride,
                                 float* to) {
    for (std::size_t i = 0; i < rows; ++i) {
#pragma omp simd
        for (std::size_t k = 0; k < width; ++k) to[i * stride + k] = from_half(from[i * width + k]);
        for (std::size_t k = width; k < stride; ++k) to[i * stride + k] = 0;
    }
}

const float* unpacked(Store store, const void* all, const float* scales, std::size_t first, std::size_t rows,
                      std::size_t width, std::vector<float>& numbers) {
    const std::size_t stride = padded(width);
    if (store == Store::float32 && stride == width) return static_cast<const float*>(all) + first * width;
    float* const to = room(numbers, rows * stride);
    if (store == Store::float32) {
        const float* const from = static_cast<const float*>(all) + first * width;
        for (std::size_t i = 0; i < rows; ++i)
            std::fill(std::copy_n(from + i * width, width, to + i * stride), to + (i + 1) * stride, 0.0f);
    } else if (store == Store::float16) {
        unpack_halves(static_cast<const std::uint16_t*>(all) + first * width, rows, width, stride, to);
    } else {
        unpack_bytes(static_cast<const std::int8_t*>(all) + first * width, scales + first, rows, width, stride, to);
    }
    return to;
}

// Products of each of these rows with each column of `columns` (width x across); four rows share what they read.
INFMCS_CLONES void products(const float* rows, std::size_t count, std::size_t stride, const float* columns,
                            std::size_t across, std::size_t width, float* found) {
    for (std::size_t first = 0; first < across; first += lane) {
        std::size_t j = 0;
        for (; j + 4 <= count; j += 4) {
            Lanes a = {}, b = {}, c = {}, d = {};
            const float* const row = rows + j * stride;
            for (std::size_t k = 0; k < width; ++k) {
                const Lanes column = lanes(columns + k * across + first);
                a += row[k] * column;
                b += row[stride + k] * column;
                c += row[2 * stride + k] * column;
                d += row[3 * stride + k] * column;
            }
            lanes(found + j * across + first) = a;
            lanes(found + (j + 1) * across + first) = b;
            lanes(found + (j + 2) * across + first) = c;
            lanes(found + (j + 3) * across + first) = d;
        }
        for (; j < count; ++j) {
            Lanes even = {}, odd = {};  // the stride is even, and what pads it is 0
            for (std::size_t k = 0; k < width; k += 2) {
                even += rows[j * stride + k] * lanes(columns + k * across + first);
                odd += rows[j * stride + k + 1] * lanes(columns + (k + 1) * across + first);
            }
            lanes(found + j * across + first) = even + odd;
        }
    }
}

// Minus squared distances, and 1: from products and the squares of both sides.
INFMCS_CLONES void distances(const float* rows, std::size_t count, std::size_t stride, const float* squares,
                             std::size_t across, float* found) {
    const Lanes zero = {};
    for (std::size_t j = 0; j < count; ++j) {
        Lanes own = {};
        for (std::size_t k = 0; k < stride; k += lane)
            own += lanes(rows + j * stride + k) * lanes(rows + j * stride + k);
        const float length = sum(own);
        for (std::size_t m = 0; m < across; m += lane) {
            Lanes& here = lanes(found + j * across + m);
            const Lanes square = length + lanes(squares + m) - 2.0f * here;
            here = 1.0f - (square > zero ? square : zero);
        }
    }
}

// Attention of the nodes of one graph to those of the other: weights before they are divided by their sum, what one
// over that sum is, the closeness of the nearest partner, and how many nodes of the other graph have the same label.
// Closeness and weights are a row a node of the collection's graph, a column a node of the query.
struct Attention {
    const float* closeness;
    float *weights, *shares, *nearest, *limits;
    std::size_t across;
};

// Of the query's nodes, the columns, to the graph's.
INFMCS_CLONES void attend_down(const Head& head, const Side& query, const Side& graph, const Attention& attention) {
    const float sharpness = 1 / head.temperature;
    const Lanes zero = {}, one = zero + 1.0f, lowest = zero - 1e30f;
    for (std::size_t first = 0; first < attention.across; first += lane) {
        const Marks labels = marks(query.labels + first), kinds = marks(query.kinds + first);
        Lanes most = lowest, total = zero, alike = zero;
        for (std::size_t j = 0; j < graph.size; ++j) {
            const Lanes value = lanes(attention.closeness + j * attention.across + first);
            const Lanes open = kinds == graph.kinds[j] ? value : lowest;
            most = larger(open, most);
            alike += labels == graph.labels[j] ? one : zero;
        }
        for (std::size_t j = 0; j < graph.size; ++j) {
            const Lanes value = lanes(attention.closeness + j * attention.across + first);
            const Lanes weight = kinds == graph.kinds[j] ? exponential((value - most) * sharpness) : zero;
            lanes(attention.weights + j * attention.across + first) = weight;
            total += weight;
        }
        const Lanes share = one / total;
        lanes(attention.shares + first) = total > zero ? share : zero;
        lanes(attention.nearest + first) = total > zero ? most : zero;
        lanes(attention.limits + first) = alike;
    }
}

// Of the graph's nodes, the rows, to the query's.
INFMCS_CLONES void attend_across(const Head& head, const Side& query, const Side& graph, const Attention& attention) {
    const float sharpness = 1 / head.temperature;
    const Lanes zero = {}, one = zero + 1.0f, lowest = zero - 1e30f;
    for (std::size_t j = 0; j < graph.size; ++j) {
        const float* const values = attention.closeness + j * attention.across;
        float* const weights = attention.weights + j * attention.across;
        Lanes highest = lowest, alike = zero, total = zero;
        for (std::size_t first = 0; first < attention.across; first += lane) {
            const Lanes open = marks(query.kinds + first) == graph.kinds[j] ? lanes(values + first) : lowest;
            highest = larger(open, highest);
            alike += marks(query.labels + first) == graph.labels[j] ? one : zero;
        }
        const Lanes most = largest(highest);
        for (std::size_t first = 0; first < attention.across; first += lane) {
            const Lanes likely = exponential((lanes(values + first) - most) * sharpness);
            const Lanes weight = marks(query.kinds + first) == graph.kinds[j] ? likely : zero;
            lanes(weights + first) = weight;
            total += weight;
        }
        const float all = sum(total);
        attention.shares[j] = all > 0 ? 1 / all : 0;
        attention.nearest[j] = all > 0 ? most[0] : 0;
        attention.limits[j] = sum(alike);
    }
}

// What the head says of each node of one graph: its own half and its partners' halves, weighed, through the last layer.
// The weight of partner p for node i is weights[i * here + p * there].
INFMCS_CLONES void judge(const float* second, float bias, const Side& first, const Side& other, const float* weights,
                         std::size_t here, std::size_t there, const float* shares, float* logits) {
    const Lanes zero = {};
    const std::size_t stride = first.stride;
    for (std::size_t i = 0; i < first.size; ++i) {
        const float share = shares[i];
        const float* const weight = weights + i * here;
        const float* const own = first.own + i * stride;
        Lanes logit = zero;
        std::size_t k = 0;
        for (; k + 2 * lane <= stride; k += 2 * lane) {
            Lanes low = zero, high = zero;
            for (std::size_t p = 0; p < other.size; ++p) {
                const float* const partner = other.partner + p * stride + k;
                low += weight[p * there] * lanes(partner);
                high += weight[p * there] * lanes(partner + lane);
            }
            low = lanes(own + k) + share * low;
            high = lanes(own + k + lane) + share * high;
            logit += (low > zero ? low : zero) * lanes(second + k);
            logit += (high > zero ? high : zero) * lanes(second + k + lane);
        }
        for (; k < stride; k += lane) {
            Lanes hidden = zero;
            for (std::size_t p = 0; p < other.size; ++p)
                hidden += weight[p * there] * lanes(other.partner + p * stride + k);
            hidden = lanes(own + k) + share * hidden;
            logit += (hidden > zero ? hidden : zero) * lanes(second + k);
        }
        logits[i] = bias + sum(logit);
    }
}

// How many nodes the first graph has in common with the second, by the model: the sum of the scores, of each label at
// most as much as the other graph has of it.
INFMCS_CLONES float common(const Head& head, const Side& first, float* logits, const float* nearest,
                           const float* limits) {
    const Lanes zero = {}, one = zero + 1.0f;
    for (std::size_t i = 0; i < first.size; i += lane) {
        const Lanes score = 1.0f / (1.0f + exponential(-lanes(logits + i)));
        const Lanes closest = lanes(nearest + i), limit = lanes(limits + i);
        const Lanes distance = closest < one ? one - closest : zero;
        const Lanes apart = head.steepness > 0 ? one - exponential(-head.steepness * distance) : one;
        Lanes known = one - (one - score) * apart;
        if (head.labels) known = limit > zero ? known : zero;
        lanes(logits + i) = marks(first.labels + i) != nobodys ? known : zero;
    }
    Lanes total = zero;
    for (std::size_t i = 0; i < first.size; i += lane) {
        if (!head.bounded) {
            total += lanes(logits + i);
            continue;
        }
        const Marks labels = marks(first.labels + i);
        Lanes promised = zero, alike = zero;
        for (std::size_t k = 0; k < first.size; ++k) {
            promised += labels == first.labels[k] ? zero + logits[k] : zero;
            alike += labels == first.labels[k] ? one : zero;
        }
        const Lanes limit = lanes(limits + i), most = promised < limit ? promised : limit;
        total += labels != nobodys ? most / alike : zero;  // each node of a label has its share of what the label gives
    }
    return sum(total);
}

Side side(const Head& head, const Vectors& vectors, std::size_t i, bool as_first, bool as_second, Scratch& scratch) {
    const auto first = static_cast<std::size_t>(vectors.node_offsets[i]);
    const auto rows = static_cast<std::size_t>(vectors.node_offsets[i + 1]) - first;
    const auto columns = static_cast<std::size_t>(head.width);
    scratch.labels.assign(padded(rows), nobodys);
    for (std::size_t k = 0; k < rows; ++k) {
        const auto code = vectors.labels[first + k];
        if (!vectors.label_ids.empty() && static_cast<std::size_t>(code) >= vectors.label_ids.size())
            throw std::out_of_range("a label outside the vocabulary");
        scratch.labels[k] = vectors.label_ids.empty() ? code : vectors.label_ids[static_cast<std::size_t>(code)];
    }
    if (!head.labels) {
        scratch.kinds.assign(padded(rows), nobodys);
        std::fill_n(scratch.kinds.begin(), rows, 0);
    }
    Side found{rows, padded(columns), scratch.labels.data(), (head.labels ? scratch.labels : scratch.kinds).data()};
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
    Scratch kept;
    const Side ours = side(head, query, 0, true, true, kept);
    const std::size_t across = padded(ours.size), stride = ours.stride;
    std::vector<float> columns(stride * across), squares(across), second(stride);  // the query's keys, turned
    std::copy_n(head.second, head.width, second.begin());
    for (std::size_t i = 0; i < ours.size; ++i)
        for (std::size_t k = 0; k < stride; ++k) {
            const float value = ours.keys[i * stride + k];
            columns[k * across + i] = value;
            squares[i] += value * value;
        }
    return for_chunks(places.size(), 512, threads, watch,
                      [&](std::size_t first, std::size_t last, const std::atomic<bool>& cancelled) {
                          Scratch scratch;
                          for (std::size_t k = first; k < last && !cancelled; ++k) {
                              const auto i = static_cast<std::size_t>(places[k]);
                              const auto size =
                                  static_cast<std::size_t>(graphs.node_offsets[i + 1] - graphs.node_offsets[i]);
                              const bool ours_first = size >= ours.size, theirs_first = size <= ours.size;
                              const Side theirs = side(head, graphs, i, theirs_first, ours_first, scratch);
                              const std::size_t most = std::max(across, padded(size));
                              float* const closeness = room(scratch.closeness, size * across);
                              const Attention attention{closeness,
                                                        room(scratch.weights, size * across),
                                                        room(scratch.shares, most),
                                                        room(scratch.nearest, most),
                                                        room(scratch.limits, most),
                                                        across};
                              float* const logits = room(scratch.logits, most);
                              products(theirs.keys, size, stride, columns.data(), across, stride, closeness);
                              if (head.likeness == Likeness::euclidean)
                                  distances(theirs.keys, size, stride, squares.data(), across, closeness);
                              float found = 0;
                              if (ours_first) {
                                  attend_down(head, ours, theirs, attention);
                                  judge(second.data(), head.bias, ours, theirs, attention.weights, 1, across,
                                        attention.shares, logits);
                                  found += common(head, ours, logits, attention.nearest, attention.limits);
                              }
                              if (theirs_first) {
                                  attend_across(head, ours, theirs, attention);
                                  judge(second.data(), head.bias, theirs, ours, attention.weights, across, 1,
                                        attention.shares, logits);
                                  found += common(head, theirs, logits, attention.nearest, attention.limits);
                              }
                              if (ours_first && theirs_first) found /= 2;
                              const auto total = static_cast<float>(size + ours.size);
                              similarity[k] = total > 0 ? std::min(1.0f, 2 * found / total) : 1.0f;
                          }
                      });
}

}  // namespace infmcs::score
