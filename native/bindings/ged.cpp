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
    return one_pair(left.ready, right.ready, [&](const auto& one, const auto& other, const Interrupted* ask) {
        return ged::Solver().distance(one, other, {{visits, seconds}, ask, below});
    });
}

Results edit_distances(const EditGraphs& left, const EditGraphs& right, const PairList& pairs, const Offsets& visits,
                       const Doubles& seconds, const Ints& below, bool with_images, int threads, nb::object progress) {
    return many_pairs<ged::Prepared, std::int32_t>(
        left.ready, right.ready, pairs, {visits, seconds, below}, with_images,
        [&](const auto& bulk) { return ged::distances(bulk, threads, watch(progress)); });
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
