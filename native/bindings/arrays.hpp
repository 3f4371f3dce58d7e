// The border: numpy arrays, checked by type, become spans; signals and progress callbacks become plain functions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "../budget.hpp"
#include "../graph.hpp"
#include "../parallel.hpp"

namespace infmcs::python {

namespace nb = nanobind;

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

inline std::span<const std::int32_t> span(const Ints& array) { return {array.data(), array.size()}; }
inline std::span<const std::int64_t> span(const Offsets& array) { return {array.data(), array.size()}; }
inline std::span<const Edge> span(const Pairs& array) {
    static_assert(sizeof(Edge) == 2 * sizeof(std::int32_t));
    return {reinterpret_cast<const Edge*>(array.data()), array.shape(0)};
}

// The callers pass arrays of an already validated Graph or Collection; these checks keep a mistake of ours from
// becoming a wild read.
inline GraphsView graphs(const Offsets& node_offsets, const Offsets& edge_offsets, const Ints& labels,
                         const Pairs& edges, const std::optional<Ints>& edge_labels, bool directed) {
    const GraphsView view{span(node_offsets),
                          span(edge_offsets),
                          span(labels),
                          span(edges),
                          edge_labels ? span(*edge_labels) : std::span<const std::int32_t>{},
                          directed};
    if (view.node_offsets.size() != view.edge_offsets.size() || view.node_offsets.empty())
        throw nb::value_error("node and edge offsets must have the same length, at least 1");
    for (std::size_t i = 0; i < view.count(); ++i)
        if (view.node_offsets[i] > view.node_offsets[i + 1] || view.edge_offsets[i] > view.edge_offsets[i + 1])
            throw nb::value_error("offsets must not fall");
    if (view.node_offsets.front() < 0 || view.edge_offsets.front() < 0 ||
        static_cast<std::size_t>(view.node_offsets.back()) > view.labels.size() ||
        static_cast<std::size_t>(view.edge_offsets.back()) > view.edges.size() ||
        (edge_labels && edge_labels->size() != view.edges.size()))
        throw nb::value_error("offsets point outside their arrays");
    return view;
}

// A vector as a numpy array, without copying.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> numpy(std::vector<T>&& values) {
    auto* const kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    return {kept->data(), {kept->size()}, owner};
}

// True when Ctrl-C was pressed, or another thread asked for the end of this one's work, which then looks the same: the
// Python exception is set and the binding throws it on. Needs the GIL.
bool told_to_stop();

inline bool interrupted() {
    const nb::gil_scoped_acquire acquire;
    return told_to_stop();
}

// Ctrl-C, or what the progress callback raised, as an object: the caller throws it on with the results so far.
inline nb::object pending_error() {
    if (!PyErr_Occurred()) return nb::none();
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return nb::steal(value);
}

// Watches bulk work: Ctrl-C and errors of the progress callback stop it. Refers to the caller's `progress` instead of
// holding it: this is called, and what it gives copied, where the GIL is released and no reference may be counted.
inline Watch watch(const nb::object& progress) {
    return [&progress](std::size_t finished) {
        const nb::gil_scoped_acquire acquire;
        if (told_to_stop()) return true;
        if (progress.is_none()) return false;
        PyObject* answer = PyObject_CallFunction(progress.ptr(), "n", static_cast<Py_ssize_t>(finished));
        if (!answer) return true;
        Py_DECREF(answer);
        return false;
    };
}

}  // namespace infmcs::python
