// Upper bounds for Python: of one pair, level by level, and of one graph against many.
#include "../bounds.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

using bounds::Profiles;

std::vector<int> of_pair(const Profiles& left, std::size_t i, const Profiles& right, std::size_t j, bool induced,
                         bool connected, bool count_edges) {
    if (i >= left.count() || j >= right.count()) throw nb::index_error("no such graph");
    bounds::Bounder bounder({induced, connected, count_edges});
    std::vector<int> found;
    for (int level = 0; level < bounds::levels; ++level)
        found.push_back(bounder.upper(left, i, right, j, static_cast<bounds::Level>(level)));
    return found;
}

nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>> of_many(const Profiles& query, std::size_t i, const Profiles& all,
                                                          bool induced, bool connected, bool count_edges, int level,
                                                          int above, int threads) {
    if (i >= query.count()) throw nb::index_error("no such graph");
    if (level < 0 || level >= bounds::levels) throw nb::value_error("no such level");
    std::vector<std::int32_t> found(all.count(), 0);
    {
        const nb::gil_scoped_release release;
        for_chunks(all.count(), 1024, threads, {}, [&](std::size_t first, std::size_t last, const auto&) {
            bounds::Bounder bounder({induced, connected, count_edges});
            for (std::size_t k = first; k < last; ++k)
                found[k] = bounder.upper(query, i, all, k, static_cast<bounds::Level>(level), above);
        });
    }
    return numpy(std::move(found));
}

}  // namespace

void bind_bounds(nb::module_& m) {
    nb::class_<Profiles>(m, "Profiles", "What bounds look at, counted once a graph.")
        .def(
            "__init__",
            [](Profiles* self, const Offsets& node_offsets, const Offsets& edge_offsets, const Ints& labels,
               const Pairs& edges, const std::optional<Ints>& edge_labels, bool directed, bool use_node_labels,
               bool use_edge_labels, bool induced, bool connected) {
                const GraphsView view = graphs(node_offsets, edge_offsets, labels, edges, edge_labels, directed);
                new (self) Profiles(view, {use_node_labels, use_edge_labels, induced}, connected);
            },
            nb::arg("node_offsets"), nb::arg("edge_offsets"), nb::arg("labels"), nb::arg("edges"),
            nb::arg("edge_labels").none(), nb::arg("directed"), nb::arg("use_node_labels"), nb::arg("use_edge_labels"),
            nb::arg("induced"), nb::arg("connected"))
        .def("__len__", &Profiles::count);
    m.def("bounds", &of_pair, nb::arg("left"), nb::arg("i"), nb::arg("right"), nb::arg("j"), nb::arg("induced"),
          nb::arg("connected"), nb::arg("count_edges"));
    m.def("bounds_many", &of_many, nb::arg("query"), nb::arg("i"), nb::arg("collection"), nb::arg("induced"),
          nb::arg("connected"), nb::arg("count_edges"), nb::arg("level"), nb::arg("above"), nb::arg("threads"));
}

}  // namespace infmcs::python
