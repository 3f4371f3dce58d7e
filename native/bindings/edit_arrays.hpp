// What both bindings of edit distances share: graphs, pairs and limits in; numbers, arrays and the exception that
// stopped the work out.
#pragma once

#include <nanobind/stl/tuple.h>

#include <utility>
#include <vector>

#include "../edit_bulk.hpp"
#include "arrays.hpp"

namespace infmcs::python {

using PairList = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Results = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

// Where the images of each pair's left nodes begin; refuses pairs that name graphs that are not there.
template <class Ready>
std::vector<std::int64_t> image_offsets(const PairList& pairs, const std::vector<Ready>& left,
                                        const std::vector<Ready>& right) {
    std::vector<std::int64_t> begins(1, 0);
    for (std::size_t k = 0; k < pairs.shape(0); ++k) {
        const auto i = static_cast<std::size_t>(pairs(k, 0)), j = static_cast<std::size_t>(pairs(k, 1));
        if (i >= left.size() || j >= right.size()) throw nb::index_error("a pair names a graph that is not there");
        begins.push_back(begins.back() + left[i].size);
    }
    return begins;
}

// One pair: solve(ask) finds, without the GIL, what becomes (images, lower, upper, search nodes, stopped by Ctrl-C).
template <class Ready, class Solve>
Results one_pair(const std::vector<Ready>& left, const std::vector<Ready>& right, const Solve& solve) {
    if (left.size() != 1 || right.size() != 1) throw nb::value_error("one graph on each side");
    auto found = [&] {
        const nb::gil_scoped_release release;
        const Interrupted ask = interrupted;
        return solve(left[0], right[0], &ask);
    }();
    if (PyErr_Occurred()) PyErr_Clear();  // told by `interrupted`; the caller raises it with the result
    return Results(nb::make_tuple(std::move(found.images), found.lower, found.upper, found.visited, found.interrupted));
}

// Limits of bulk work: one for all pairs or one a pair.
template <class Cost>
struct PairLimits {
    const Offsets& visits;
    const Doubles& seconds;
    const nb::ndarray<const Cost, nb::ndim<1>, nb::c_contig, nb::device::cpu>& below;
};

// Many pairs: solve(bulk) fills, without the GIL, what becomes (lower, upper, search nodes, images, their offsets, the
// exception that stopped it or None).
template <class Ready, class Cost, class Solve>
Results many_pairs(const std::vector<Ready>& left, const std::vector<Ready>& right, const PairList& pairs,
                   const PairLimits<Cost>& limits, bool with_images, const Solve& solve) {
    const std::size_t count = pairs.shape(0);
    const auto& [visits, seconds, below] = limits;
    for (const std::size_t given : {visits.size(), seconds.size(), below.size()})
        if (given != 1 && given != count) throw nb::value_error("limits must be one for all pairs or one a pair");
    std::vector<std::int64_t> begins = image_offsets(pairs, left, right);
    std::vector<Cost> lower(count, 0), upper(count, -1);  // -1: not searched
    std::vector<std::int64_t> visited(count, -1);
    std::vector<std::int32_t> images(with_images ? static_cast<std::size_t>(begins.back()) : 0, -1);
    bool finished = false;
    {
        const nb::gil_scoped_release release;
        finished = solve(ged::Bulk<Ready, Cost>{left,
                                                right,
                                                {pairs.data(), 2 * count},
                                                {visits.data(), visits.size()},
                                                {seconds.data(), seconds.size()},
                                                {below.data(), below.size()},
                                                lower,
                                                upper,
                                                visited,
                                                images,
                                                begins});
    }
    nb::object error = finished ? nb::none() : pending_error();
    return Results(nb::make_tuple(numpy(std::move(lower)), numpy(std::move(upper)), numpy(std::move(visited)),
                                  numpy(std::move(images)), numpy(std::move(begins)), error));
}

}  // namespace infmcs::python
