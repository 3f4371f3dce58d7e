// Isomorphism classes for Python.
#include "../isomorphism.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <vector>

#include "arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>> classes(const Offsets& node_offsets, const Offsets& edge_offsets,
                                                          const Ints& labels, const Pairs& edges,
                                                          const std::optional<Ints>& edge_labels, bool directed,
                                                          bool use_node_labels, bool use_edge_labels) {
    const GraphsView view = graphs(node_offsets, edge_offsets, labels, edges, edge_labels, directed);
    const Interrupted ask = interrupted;
    Meter meter({}, &ask);
    auto* const found = new std::vector<std::int32_t>;
    const nb::capsule owner(found, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    {
        const nb::gil_scoped_release release;
        *found = isomorphism_classes(view, {use_node_labels, use_edge_labels}, meter);
    }
    if (PyErr_Occurred()) throw nb::python_error();
    return {found->data(), {found->size()}, owner};
}

}  // namespace

void bind_isomorphism(nb::module_& m) {
    m.def("isomorphism_classes", &classes, nb::arg("node_offsets"), nb::arg("edge_offsets"), nb::arg("labels"),
          nb::arg("edges"), nb::arg("edge_labels").none(), nb::arg("directed"), nb::arg("use_node_labels"),
          nb::arg("use_edge_labels"));
}

}  // namespace infmcs::python
