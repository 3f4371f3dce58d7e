// What both bindings of edit distances share: pairs in, arrays and the exception that stopped the work out.
#pragma once

#include <nanobind/stl/tuple.h>

#include <utility>
#include <vector>

#include "arrays.hpp"

namespace infmcs::python {

using PairList = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Results = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

// The Python exception that stopped bulk work (Ctrl-C, or what the progress callback raised), for the caller to throw.
inline nb::object error_of(bool finished) {
    if (finished || !PyErr_Occurred()) return nb::none();
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return nb::steal(value);
}

// Where the images of each pair's left nodes begin; refuses pairs that name graphs that are not there.
template <class Graphs>
std::vector<std::int64_t> image_offsets(const PairList& pairs, const Graphs& left, const Graphs& right) {
    std::vector<std::int64_t> begins(1, 0);
    for (std::size_t k = 0; k < pairs.shape(0); ++k) {
        const auto i = static_cast<std::size_t>(pairs(k, 0)), j = static_cast<std::size_t>(pairs(k, 1));
        if (i >= left.size() || j >= right.size()) throw nb::index_error("a pair names a graph that is not there");
        begins.push_back(begins.back() + left[i].size);
    }
    return begins;
}

}  // namespace infmcs::python
