// Edit distances at any prices, by every method.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "../edit_methods.hpp"
#include "arrays.hpp"
#include "edit_arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Graphs whose labels are kinds, made ready once each.
struct PricedGraphs {
    std::vector<ged::Costed> ready;
    int node_kinds = 0, edge_kinds = 0;  // above all kinds that occur
};

ged::Prices prices(const Table& node, const Table& edge, bool whole) {
    for (const Table* table : {&node, &edge})
        if (table->shape(0) != table->shape(1) || table->shape(0) == 0 || table->shape(0) > 65'535)
            throw nb::value_error("a table of prices must be square, for 1 to 65,535 kinds");
    const auto values = [](const Table& table) {
        return std::vector<double>(table.data(), table.data() + table.shape(0) * table.shape(1));
    };
    return {static_cast<int>(node.shape(0)), static_cast<int>(edge.shape(0)), values(node), values(edge), whole};
}

int beyond(std::span<const std::int32_t> kinds) {
    int most = 0;
    for (const std::int32_t kind : kinds) {
        if (kind < 1) throw nb::value_error("kinds count from 1");
        most = std::max(most, kind);
    }
    return most + 1;
}

void check(const PricedGraphs& left, const PricedGraphs& right, const ged::Prices& prices) {
    for (const PricedGraphs* graphs : {&left, &right})
        if (graphs->node_kinds > prices.node_kinds || graphs->edge_kinds > prices.edge_kinds)
            throw nb::value_error("the prices do not name every kind");
}

Results priced_distance(const PricedGraphs& left, const PricedGraphs& right, const ged::Prices& prices, int method,
                        int width, std::int64_t visits, double seconds, double below) {
    check(left, right, prices);
    return one_pair(left.ready, right.ready, [&](const auto& one, const auto& other, const Interrupted* ask) {
        return ged::Methods()(static_cast<ged::Method>(method), one, other, prices, {{visits, seconds}, ask, below},
                              width);
    });
}

Results priced_distances(const PricedGraphs& left, const PricedGraphs& right, const ged::Prices& prices, int method,
                         int width, const PairList& pairs, const Offsets& visits, const Doubles& seconds,
                         const Doubles& below, bool with_images, int threads, nb::object progress) {
    check(left, right, prices);
    return many_pairs<ged::Costed, double>(
        left.ready, right.ready, pairs, {visits, seconds, below}, with_images, [&](const auto& bulk) {
            return ged::edit_distances(static_cast<ged::Method>(method), width, prices, bulk, threads, watch(progress));
        });
}

}  // namespace

void bind_priced(nb::module_& m) {
    using namespace nb::literals;
    m.attr("MOST_PRICED_NODES") = ged::most_costed_nodes;
    nb::class_<ged::Prices>(m, "Prices", "What edits cost: [left kind, right kind], kind 0 being nothing.")
        .def(
            "__init__",
            [](ged::Prices* self, const Table& node, const Table& edge, bool whole) {
                new (self) ged::Prices(prices(node, edge, whole));
            },
            "node"_a, "edge"_a, "whole"_a);
    nb::class_<PricedGraphs>(m, "PricedGraphs", "Graphs whose labels are kinds, made ready once each.")
        .def(
            "__init__",
            [](PricedGraphs* self, const Offsets& node_offsets, const Offsets& edge_offsets, const Ints& kinds,
               const Pairs& edges, const Ints& edge_kinds, bool directed) {
                const GraphsView view = graphs(node_offsets, edge_offsets, kinds, edges, edge_kinds, directed);
                const int nodes = beyond(span(kinds)), links = beyond(span(edge_kinds));
                new (self) PricedGraphs{ged::prepare_all_costed(view), nodes, links};
            },
            "node_offsets"_a, "edge_offsets"_a, "kinds"_a, "edges"_a, "edge_kinds"_a, "directed"_a)
        .def("__len__", [](const PricedGraphs& self) { return self.ready.size(); });
    m.def("priced_edit_distance", &priced_distance, "left"_a, "right"_a, "prices"_a, "method"_a, "width"_a, "visits"_a,
          "seconds"_a, "below"_a, "(image of each left node or -1, lower, upper, search nodes, stopped by Ctrl-C).");
    m.def("priced_edit_distances", &priced_distances, "left"_a, "right"_a, "prices"_a, "method"_a, "width"_a, "pairs"_a,
          "visits"_a, "seconds"_a, "below"_a, "with_images"_a, "threads"_a, "progress"_a.none(),
          "(lower, upper, search nodes, images, their offsets, the exception that stopped it or None).");
}

}  // namespace infmcs::python
