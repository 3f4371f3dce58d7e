// Exact search of an index for Python: shelves of graphs, and the search over them.
#include "../search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "arrays.hpp"
#include "narrow.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Results = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

std::size_t row_width(const AnyArray& array) {
    if (array.ndim() != 2) throw nb::value_error("rows must be two-dimensional");
    return array.shape(1);
}

// A shelf and the arrays it looks at.
struct OwnedShelf {
    Shelf shelf;
    std::vector<nb::object> kept;
};

void make(OwnedShelf* self, nb::object node_offsets, nb::object edge_offsets, nb::object labels, nb::object edges,
          nb::object edge_labels, nb::object label_ids, nb::object edge_label_ids, bool directed, nb::object counts,
          std::size_t label_width, nb::object stars, nb::object degrees) {
    Shelf shelf;
    const auto nodes = nb::cast<Offsets>(node_offsets, false), links = nb::cast<Offsets>(edge_offsets, false);
    shelf.node_offsets = span(nodes);
    shelf.edge_offsets = span(links);
    if (nodes.size() != links.size() || !nodes.size()) throw nb::value_error("offsets of different length");
    for (const auto& offsets : {shelf.node_offsets, shelf.edge_offsets})
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
            if (offsets[i] > offsets[i + 1] || offsets[0] != 0) throw nb::value_error("offsets must rise from 0");
    shelf.labels = narrow(nb::cast<AnyArray>(labels, false), static_cast<std::size_t>(shelf.node_offsets.back()));
    shelf.edges = narrow(nb::cast<AnyArray>(edges, false), 2 * static_cast<std::size_t>(shelf.edge_offsets.back()));
    if (!edge_labels.is_none())
        shelf.edge_labels =
            narrow(nb::cast<AnyArray>(edge_labels, false), static_cast<std::size_t>(shelf.edge_offsets.back()));
    shelf.label_ids = span(nb::cast<Ints>(label_ids, false));
    shelf.edge_label_ids = span(nb::cast<Ints>(edge_label_ids, false));
    shelf.directed = directed;
    const auto rows = [&](const nb::object& given, Narrow& narrow_rows, std::size_t& width) {
        const auto array = nb::cast<AnyArray>(given, false);
        width = row_width(array);
        narrow_rows = narrow(array, shelf.count() * width);
    };
    rows(counts, shelf.counts, shelf.count_width);
    rows(stars, shelf.stars, shelf.star_width);
    rows(degrees, shelf.degrees, shelf.degree_width);
    shelf.label_width = label_width;
    if (label_width > shelf.count_width) throw nb::value_error("more label columns than columns");
    new (self) OwnedShelf{
        shelf,
        {node_offsets, edge_offsets, labels, edges, edge_labels, label_ids, edge_label_ids, counts, stars, degrees}};
}

using Shelves = nb::typed<nb::list, OwnedShelf>;

using Ready = nb::typed<nb::list, std::optional<Prepared>>;

std::vector<const Prepared*> ready_of(const Ready& given, const std::vector<Shelf>& shelves) {
    std::vector<const Prepared*> ready;
    for (const auto& one : given) ready.push_back(one.is_none() ? nullptr : &nb::cast<const Prepared&>(one));
    if (ready.size() != shelves.size()) throw nb::value_error("one prepared collection, or None, a shelf is needed");
    for (std::size_t s = 0; s < ready.size(); ++s)
        if (ready[s] && ready[s]->count() != shelves[s].count()) throw nb::value_error("prepared graphs are missing");
    return ready;
}

std::vector<Shelf> shelves_of(const Shelves& given) {
    std::vector<Shelf> shelves;
    for (const auto& one : given) shelves.push_back(nb::cast<const OwnedShelf&>(one).shelf);
    return shelves;
}

search::Query query_of(const Prepared& prepared, const Ints& counts, const Ints& stars, const Ints& degrees,
                       std::size_t label_width) {
    if (prepared.count() != 1) throw nb::value_error("a query is one graph");
    search::Query query{prepared[0], 0, span(counts), span(stars), span(degrees)};
    for (std::size_t k = label_width; k < counts.size(); ++k) query.edges += counts(k);
    return query;
}

void check(const std::vector<Shelf>& shelves, const search::Query& query, std::size_t places) {
    std::size_t total = 0;
    for (const Shelf& shelf : shelves) {
        if (shelf.count_width != query.counts.size() || shelf.star_width != query.stars.size())
            throw nb::value_error("the query's rows have another width than the graphs'");
        total += shelf.count();
    }
    if (places != total) throw nb::value_error("one choice a graph is needed");
}

Results run(const Shelves& shelves, const Ready& ready, const Prepared& prepared, const Ints& counts, const Ints& stars,
            const Ints& degrees, const Bytes& chosen, const Offsets& first, bool induced, bool connected,
            bool node_labels, bool edge_labels, bool directed, std::int64_t top, double threshold, bool ties,
            std::int64_t visits, double seconds) {
    const std::vector<Shelf> held = shelves_of(shelves);
    const search::Query query = query_of(prepared, counts, stars, degrees, held.empty() ? 0 : held[0].label_width);
    check(held, query, chosen.size());
    const std::vector<const Prepared*> prepared_shelves = ready_of(ready, held);
    const search::Terms terms{{induced, connected, false},
                              {node_labels, edge_labels, induced},
                              directed,
                              top,
                              threshold,
                              ties,
                              {visits, seconds}};
    const Interrupted ask = interrupted;
    search::Outcome found;
    {
        const nb::gil_scoped_release release;
        found = search::run(query, held, prepared_shelves, {chosen.data(), chosen.size()}, span(first), terms, ask);
    }
    if (PyErr_Occurred()) PyErr_Clear();  // the Ctrl-C is told by `interrupted`; the caller raises it with the result
    nb::list hits;
    for (const search::Hit& hit : found.best) {
        nb::list mapping;
        for (const auto [v, w] : hit.mapping) mapping.append(nb::make_tuple(v, w));
        hits.append(nb::make_tuple(hit.place, hit.low, hit.high, hit.lower, nb::tuple(mapping)));
    }
    return Results(nb::make_tuple(hits, found.beyond, numpy(std::move(found.tied)), found.graphs, found.sharpened,
                                  found.solved, found.postponed, found.visited, found.interrupted));
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<OwnedShelf>(m, "Shelf", "Graphs of an index, as they lie in its file.")
        .def("__init__", &make, nb::arg("node_offsets"), nb::arg("edge_offsets"), nb::arg("labels"), nb::arg("edges"),
             nb::arg("edge_labels").none(), nb::arg("label_ids"), nb::arg("edge_label_ids"), nb::arg("directed"),
             nb::arg("counts"), nb::arg("label_width"), nb::arg("stars"), nb::arg("degrees"))
        .def("__len__", [](const OwnedShelf& self) { return self.shelf.count(); });
    m.def("search", &run, nb::arg("shelves"), nb::arg("ready"), nb::arg("query"), nb::arg("counts"), nb::arg("stars"),
          nb::arg("degrees"), nb::arg("chosen"), nb::arg("first"), nb::arg("induced"), nb::arg("connected"),
          nb::arg("node_labels"), nb::arg("edge_labels"), nb::arg("directed"), nb::arg("top"), nb::arg("threshold"),
          nb::arg("ties"), nb::arg("visits"), nb::arg("seconds"));
    m.def(
        "likeness",
        [](const Shelves& shelves, const Prepared& prepared, const Ints& counts, const Ints& stars, const Ints& degrees,
           const Bytes& chosen) {
            const std::vector<Shelf> held = shelves_of(shelves);
            const search::Query query =
                query_of(prepared, counts, stars, degrees, held.empty() ? 0 : held[0].label_width);
            check(held, query, chosen.size());
            std::vector<float> alike(chosen.size());
            {
                const nb::gil_scoped_release release;
                search::likeness(query, held, {chosen.data(), chosen.size()}, alike);
            }
            return numpy(std::move(alike));
        },
        nb::arg("shelves"), nb::arg("query"), nb::arg("counts"), nb::arg("stars"), nb::arg("degrees"),
        nb::arg("chosen"));
    m.def(
        "most_common",
        [](const Shelves& shelves, const Prepared& prepared, const Ints& counts, const Ints& stars, const Ints& degrees,
           const Bytes& chosen, bool induced, bool connected, bool node_labels, bool sharp) {
            const std::vector<Shelf> held = shelves_of(shelves);
            const search::Query query =
                query_of(prepared, counts, stars, degrees, held.empty() ? 0 : held[0].label_width);
            check(held, query, chosen.size());
            search::Terms terms;
            terms.question = {induced, connected, false};
            terms.sight = {node_labels, false, induced};
            std::vector<std::int32_t> most(chosen.size());
            {
                const nb::gil_scoped_release release;
                search::bounds(query, held, {chosen.data(), chosen.size()}, terms, sharp, most);
            }
            return numpy(std::move(most));
        },
        nb::arg("shelves"), nb::arg("query"), nb::arg("counts"), nb::arg("stars"), nb::arg("degrees"),
        nb::arg("chosen"), nb::arg("induced"), nb::arg("connected"), nb::arg("node_labels"), nb::arg("sharp"));
}

}  // namespace infmcs::python
