// Graph edit distance.
#include "../ged.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "arrays.hpp"
#include "edit_arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

// Graphs made ready for edit distances, once each.
struct EditGraphs {
    std::vector<ged::Prepared> ready;
};

Results edit_distance(const EditGraphs& left, const EditGraphs& right, std::int64_t visits, double seconds,
                      std::int32_t below) {
    if (left.ready.size() != 1 || right.ready.size() != 1) throw nb::value_error("one graph on each side");
    ged::Outcome found;
    {
        const nb::gil_scoped_release release;
        const Interrupted ask = interrupted;
        found = ged::Solver().distance(left.ready[0], right.ready[0], {{visits, seconds}, &ask, below});
    }
    if (PyErr_Occurred()) PyErr_Clear();  // told by `interrupted`; the caller raises it with the result
    return Results(nb::make_tuple(std::move(found.images), found.lower, found.upper, found.visited, found.interrupted));
}

Results edit_distances(const EditGraphs& left, const EditGraphs& right, const PairList& pairs, const Offsets& visits,
                       const Doubles& seconds, const Ints& below, bool with_images, int threads, nb::object progress) {
    const std::size_t count = pairs.shape(0);
    for (const std::size_t given : {visits.size(), seconds.size(), below.size()})
        if (given != 1 && given != count) throw nb::value_error("limits must be one for all pairs or one a pair");
    std::vector<std::int64_t> begins = image_offsets(pairs, left.ready, right.ready);
    std::vector<std::int32_t> lower(count, 0), upper(count, -1);  // -1: not searched
    std::vector<std::int64_t> visited(count, -1);
    std::vector<std::int32_t> images(with_images ? static_cast<std::size_t>(begins.back()) : 0, -1);
    bool finished = false;
    {
        const nb::gil_scoped_release release;
        finished = ged::distances(
            {left.ready,
             right.ready,
             {pairs.data(), 2 * count},
             {{visits.data(), visits.size()}, {seconds.data(), seconds.size()}, {below.data(), below.size()}},
             lower,
             upper,
             visited,
             images,
             begins},
            threads, watch(progress));
    }
    nb::object error = error_of(finished);
    return Results(nb::make_tuple(numpy(std::move(lower)), numpy(std::move(upper)), numpy(std::move(visited)),
                                  numpy(std::move(images)), numpy(std::move(begins)), error));
}

}  // namespace

void bind_ged(nb::module_& m) {
    using namespace nb::literals;
    m.attr("MOST_EDIT_NODES") = ged::most_nodes;
    nb::class_<EditGraphs>(m, "EditGraphs", "Graphs made ready for edit distances, once each.")
        .def(
            "__init__",
            [](EditGraphs* self, const Offsets& node_offsets, const Offsets& edge_offsets, const Ints& labels,
               const Pairs& edges, bool node_labels) {
                const GraphsView view = graphs(node_offsets, edge_offsets, labels, edges, {}, false);
                new (self) EditGraphs{ged::prepare_all(view, node_labels)};
            },
            "node_offsets"_a, "edge_offsets"_a, "labels"_a, "edges"_a, "node_labels"_a)
        .def("__len__", [](const EditGraphs& self) { return self.ready.size(); });
    m.def("edit_distance", &edit_distance, "left"_a, "right"_a, "visits"_a, "seconds"_a, "below"_a,
          "At unit costs: (image of each left node or -1, lower, upper, search nodes, stopped by Ctrl-C).");
    m.def("edit_distances", &edit_distances, "left"_a, "right"_a, "pairs"_a, "visits"_a, "seconds"_a, "below"_a,
          "with_images"_a, "threads"_a, "progress"_a.none(),
          "At unit costs: (lower, upper, search nodes, images, their offsets, the exception that stopped it or None).");
}

}  // namespace infmcs::python
