// A learned similarity of one query to many graphs from vectors stored a node: late interaction. What the model does of
// a graph alone was done when it was indexed; what is left of a pair is two small matrix products. The formulas are
// those of models/infmcs.py, `_match`.
#pragma once

#include <cstdint>
#include <span>

#include "parallel.hpp"
#include "shelf.hpp"

namespace infmcs::score {

enum class Store : std::uint8_t { float32, float16, int8 };
enum class Likeness : std::uint8_t { product, euclidean };  // product: cosine and dot, whose keys carry their scale

// The head of a model.
struct Head {
    int width = 0;
    const float* second = nullptr;                   // weights of the last layer
    float bias = 0, temperature = 1, steepness = 0;  // steepness: of twins, 0 without
    Likeness likeness = Likeness::product;
    bool labels = true;   // only nodes of equal labels are partners
    bool bounded = true;  // of each label at most as much as either graph has
};

// Node vectors of many graphs, one after another: keys, U (own) and V (partner), rows of `width` numbers. Stored in
// one byte, row i of each holds numbers times its scale.
struct Vectors {
    Store store = Store::float32;
    const void *keys = nullptr, *own = nullptr, *partner = nullptr;
    const float *key_scales = nullptr, *own_scales = nullptr, *partner_scales = nullptr;
    Narrow labels;                               // codes of all nodes
    std::span<const std::int32_t> label_ids;     // process-wide ids of the codes; empty: codes are ids
    std::span<const std::int64_t> node_offsets;  // graphs + 1
};

// Similarity of graph 0 of `query` (float32) to each of these graphs. Returns false when `watch` stopped it.
bool scores(const Head& head, const Vectors& query, const Vectors& graphs, std::span<const std::int64_t> places,
            std::span<float> similarity, int threads, const Watch& watch);

}  // namespace infmcs::score
