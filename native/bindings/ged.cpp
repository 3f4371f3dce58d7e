// Graph edit distance.
#include "../ged.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

GraphView view(const Ints& labels, const Pairs& edges) {
    const GraphView graph{static_cast<std::int32_t>(labels.size()), span(labels), span(edges), {}, false};
    for (const auto [u, v] : graph.edges)
        if (u < 0 || u >= graph.size || v < 0 || v >= graph.size) throw nb::value_error("an edge names a missing node");
    return graph;
}

Budget budget(std::optional<std::int64_t> visits, std::optional<double> seconds) {
    Budget limits;
    if (visits) limits.visits = *visits;
    if (seconds) limits.seconds = *seconds;
    return limits;
}

}  // namespace

void bind_ged(nb::module_& m) {
    using namespace nb::literals;
    m.attr("MOST_EDIT_NODES") = ged::most_nodes;
    m.def(
        "edit_distance",
        [](const Ints& left_labels, const Pairs& left_edges, const Ints& right_labels, const Pairs& right_edges,
           bool node_labels, std::optional<std::int64_t> visits, std::optional<double> seconds,
           std::int64_t below) -> std::tuple<std::vector<std::int32_t>, int, int, std::int64_t> {
            const GraphView left = view(left_labels, left_edges), right = view(right_labels, right_edges);
            ged::Outcome found;
            bool stopped = false;
            {
                const nb::gil_scoped_release release;
                const Interrupted ask = [&] { return stopped = interrupted(); };
                ged::Codes codes;
                const auto a = ged::prepare(left, node_labels, codes), b = ged::prepare(right, node_labels, codes);
                ged::Solver solver(codes.count());
                const int most = left.size + right.size + a.edges + b.edges;
                found = solver.distance(
                    a, b, {budget(visits, seconds), &ask, static_cast<int>(std::min<std::int64_t>(below, most))});
            }
            if (stopped) throw nb::python_error();
            return {found.images, found.lower, found.upper, found.visited};
        },
        "left_labels"_a, "left_edges"_a, "right_labels"_a, "right_edges"_a, "node_labels"_a, "visits"_a.none(),
        "seconds"_a.none(), "below"_a,
        "Graph edit distance at unit costs: (image of each left node or -1, lower, upper, search nodes).");
    m.def("edit_distances",
          [](const Offsets& node_offsets, const Offsets& edge_offsets, const Ints& labels, const Pairs& edges,
             const Pairs& pairs, bool node_labels, std::optional<std::int64_t> visits, std::optional<double> seconds,
             int below, int threads, nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig> lower,
             nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig> upper,
             nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig> visited) {
              const GraphsView view = graphs(node_offsets, edge_offsets, labels, edges, {}, false);
              bool finished;
              const Watch ask = watch(nb::none());
              {
                  const nb::gil_scoped_release release;
                  ged::Codes codes;
                  const auto ready = ged::prepare_all(view, node_labels, codes);
                  const std::size_t n = pairs.shape(0);
                  finished = ged::distances(
                      {ready, ready, span(pairs), {lower.data(), n}, {upper.data(), n}, {visited.data(), n}, {}, {}},
                      codes.count(), {budget(visits, seconds), nullptr, below}, threads, ask);
              }
              if (!finished) throw nb::python_error();
          });
}

}  // namespace infmcs::python
