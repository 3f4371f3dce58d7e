// Scores from stored vectors against the formulas written out in double precision; every form of store and head.
#include "../score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"

namespace infmcs::tests {

namespace {

using score::Store;

// Rows in one of the three stores, in buffers of exactly their size.
struct Matrix {
    std::vector<float> exact, scales;  // what the stored numbers mean
    std::vector<std::int8_t> bytes;
    std::vector<std::uint16_t> halves;

    const void* in(Store store) const {
        if (store == Store::int8) return bytes.data();
        return store == Store::float16 ? static_cast<const void*>(halves.data()) : exact.data();
    }
};

Matrix matrix(std::mt19937& random, std::size_t rows, std::size_t width, Store store) {
    Matrix made;
    std::uniform_real_distribution<float> number(-1, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        const float scale = (2 + number(random)) / 127;
        made.scales.push_back(scale);
        for (std::size_t k = 0; k < width; ++k) {
            float value = number(random);
            if (store == Store::int8) {
                made.bytes.push_back(static_cast<std::int8_t>(random() % 255));
                value = static_cast<float>(made.bytes.back()) * scale;
            } else if (store == Store::float16) {  // normal halves: exponents 10 to 14 of 15, so below 1
                const std::uint32_t exponent = 10 + random() % 5, digits = random() % 1024, sign = random() % 2;
                made.halves.push_back(static_cast<std::uint16_t>(sign << 15 | exponent << 10 | digits));
                value = std::ldexp(1 + static_cast<float>(digits) / 1024, static_cast<int>(exponent) - 15);
                if (sign) value = -value;
            }
            made.exact.push_back(value);
        }
    }
    return made;
}

struct Many {
    Matrix keys, own, partner;
    std::vector<std::uint8_t> labels;
    std::vector<std::int64_t> offsets{0};
    Store store;

    Many(std::mt19937& random, const std::vector<int>& sizes, std::size_t width, Store form) : store(form) {
        for (const int size : sizes) offsets.push_back(offsets.back() + size);
        const auto rows = static_cast<std::size_t>(offsets.back());
        keys = matrix(random, rows, width, store);
        own = matrix(random, rows, width, store);
        partner = matrix(random, rows, width, store);
        for (std::size_t v = 0; v < rows; ++v) labels.push_back(static_cast<std::uint8_t>(random() % 3));
    }

    score::Vectors vectors() const {
        return {store,
                keys.in(store),
                own.in(store),
                partner.in(store),
                keys.scales.data(),
                own.scales.data(),
                partner.scales.data(),
                {labels.data(), 1},
                {},
                offsets};
    }
    std::size_t first(std::size_t i) const { return static_cast<std::size_t>(offsets[i]); }
    std::size_t size(std::size_t i) const { return first(i + 1) - first(i); }
};

double closeness(const score::Head& head, const float* a, const float* b) {
    double product = 0, distance = 0;
    for (int k = 0; k < head.width; ++k) {
        product += double{a[k]} * b[k];
        distance += (double{a[k]} - b[k]) * (double{a[k]} - b[k]);
    }
    return head.likeness == score::Likeness::product ? product : 1 - distance;
}

double common(const score::Head& head, const Many& left, std::size_t i, const Many& right, std::size_t j) {
    const auto width = static_cast<std::size_t>(head.width);
    std::map<int, double> promised, room;
    for (std::size_t w = 0; w < right.size(j); ++w) room[right.labels[right.first(j) + w]] += 1;
    for (std::size_t v = 0; v < left.size(i); ++v) {
        const std::size_t here = left.first(i) + v;
        std::vector<std::pair<std::size_t, double>> partners;
        double nearest = -1e9, total = 0;
        for (std::size_t w = 0; w < right.size(j); ++w) {
            const std::size_t there = right.first(j) + w;
            if (head.labels && right.labels[there] != left.labels[here]) continue;
            partners.emplace_back(there,
                                  closeness(head, &left.keys.exact[here * width], &right.keys.exact[there * width]));
            nearest = std::max(nearest, partners.back().second);
        }
        if (partners.empty()) continue;
        for (auto& [there, weight] : partners)
            total += weight = std::exp((weight - nearest) / double{head.temperature});
        double logit = head.bias;
        for (std::size_t k = 0; k < width; ++k) {
            double hidden = left.own.exact[here * width + k];
            for (const auto& [there, weight] : partners)
                hidden += weight / total * right.partner.exact[there * width + k];
            logit += std::max(0.0, hidden) * head.second[k];
        }
        const double apart = head.steepness > 0 ? 1 - std::exp(-head.steepness * std::max(0.0, 1 - nearest)) : 1;
        promised[left.labels[here]] += 1 - (1 - 1 / (1 + std::exp(-logit))) * apart;
    }
    double sum = 0;
    for (const auto& [label, nodes] : promised) sum += head.bounded ? std::min(nodes, room[label]) : nodes;
    return sum;
}

double similarity(const score::Head& head, const Many& query, const Many& graphs, std::size_t i) {
    const std::size_t ours = query.size(0), theirs = graphs.size(i);
    if (ours + theirs == 0) return 1;
    double found = ours <= theirs ? common(head, query, 0, graphs, i) : common(head, graphs, i, query, 0);
    if (ours == theirs) found = (found + common(head, graphs, i, query, 0)) / 2;
    return std::min(1.0, 2 * found / static_cast<double>(ours + theirs));
}

void formulas() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 60; ++trial) {
        const int width = trial % 3 == 0 ? 16 : 1 + static_cast<int>(random() % 40);
        std::vector<float> second;
        for (int k = 0; k < width; ++k) second.push_back(static_cast<float>(random() % 200) / 100 - 1);
        score::Head head;
        head.width = width;
        head.second = second.data();
        head.bias = 0.3f;
        head.temperature = trial % 2 ? 0.2f : 1.0f;
        head.steepness = trial % 4 ? 0.7f : 0;
        head.likeness = trial % 5 ? score::Likeness::product : score::Likeness::euclidean;
        head.labels = random() % 3 != 0;
        head.bounded = random() % 3 != 0;
        const Store store = trial % 3 == 0 ? Store::float32 : trial % 3 == 1 ? Store::float16 : Store::int8;
        const auto own = static_cast<std::size_t>(width);
        const Many query(random, {static_cast<int>(random() % 20)}, own, Store::float32);
        std::vector<int> sizes{0, static_cast<int>(query.size(0))};
        while (sizes.size() < 30) sizes.push_back(static_cast<int>(random() % 24));
        const Many graphs(random, sizes, own, store);
        std::vector<std::int64_t> places;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (random() % 4) places.push_back(static_cast<std::int64_t>(i));
        std::vector<float> once(places.size()), twice(places.size());
        CHECK(score::scores(head, query.vectors(), graphs.vectors(), places, once, 1, {}));
        CHECK(score::scores(head, query.vectors(), graphs.vectors(), places, twice, 2, {}));
        CHECK(once == twice);
        for (std::size_t k = 0; k < places.size(); ++k)
            CHECK(std::abs(once[k] - similarity(head, query, graphs, static_cast<std::size_t>(places[k]))) < 1e-4);
    }
}

void refusals() {
    std::mt19937 random(1);
    const std::vector<float> second(8, 1);
    score::Head head;
    head.width = 8;
    head.second = second.data();
    const Many query(random, {3}, 8, Store::float32), graphs(random, std::vector<int>(2'000, 4), 8, Store::int8);
    std::vector<std::int64_t> places(2'000);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
    std::vector<float> found(places.size());
    const std::vector<std::int32_t> one{7};
    score::Vectors misleading = graphs.vectors();
    misleading.label_ids = one;  // of three labels
    bool thrown = false;
    try {
        score::scores(head, query.vectors(), misleading, places, found, 2, {});
    } catch (const std::out_of_range&) {
        thrown = true;
    }
    CHECK(thrown);
}

}  // namespace

void scoring() {
    formulas();
    refusals();
}

}  // namespace infmcs::tests
