// Graph edit distance for any costs, edge labels and directions: depth-first branch and bound by branch matching.
//
// Nothing here assumes that substituting is never dearer than deleting and inserting, that prices are symmetric, or
// that they are metric: every node may be deleted, and an insertion has its own price. Equal unit costs without edge
// labels are ged.hpp's, which is several times faster.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "edit_bulk.hpp"
#include "edit_pair.hpp"

namespace infmcs::ged {

using Finding = Found<double>;
using Wish = Asked<double>;

// Two costs are told apart only by more than rounding: whole numbers by 1, others by a billionth.
class Precision {
public:
    explicit Precision(bool whole) : whole_(whole) {}

    // Whether a bound leaves no room for anything cheaper than `limit`.
    bool closed(double bound, double limit) const {
        return bound >= (whole_ ? limit - 1 + 1e-6 : limit - 1e-9 * (1 + limit));
    }
    // The limit under which exactly the costs up to `most` lie.
    double beyond(double most) const {
        return whole_ ? static_cast<double>(floor(most) + 1) : most + 2e-9 * (1 + most);
    }
    // A lower bound as sharp as whole numbers allow.
    double sharp(double bound) const { return whole_ ? -floor(1e-6 - bound) : bound; }

private:
    static double floor(double value) { return __builtin_floor(value); }
    bool whole_;
};

// Keeps the memory of a search, so that one object serves all pairs of a thread.
class GeneralSolver {
public:
    GeneralSolver();
    ~GeneralSolver();
    GeneralSolver(GeneralSolver&&) noexcept;

    Finding distance(const Costed& left, const Costed& right, const Prices& prices, const Wish& wish);

private:
    struct Search;
    std::unique_ptr<Search> search_;
};

// Images in prepared numbers become images in the graphs' own.
std::vector<std::int32_t> own_numbers(const Costed& left, const Costed& right, const std::vector<int>& images);

}  // namespace infmcs::ged
