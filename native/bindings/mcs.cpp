// Maximum common subgraphs for Python: prepared graphs, one search, and many.
#include "../mcs.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <vector>

#include "arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

using Guide = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using PairList = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

using Results = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

// A searcher to work with, given back at the end. Not simply one a thread: a signal handler that runs during a search
// may start another.
class Lease {
public:
    Lease() {
        if (idle().empty()) {
            searcher_ = std::make_unique<mcs::Searcher>();
        } else {
            searcher_ = std::move(idle().back());
            idle().pop_back();
        }
    }
    ~Lease() { idle().push_back(std::move(searcher_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    mcs::Searcher* operator->() { return searcher_.get(); }

private:
    static std::vector<std::unique_ptr<mcs::Searcher>>& idle() {
        static thread_local std::vector<std::unique_ptr<mcs::Searcher>> searchers;
        return searchers;
    }
    std::unique_ptr<mcs::Searcher> searcher_;
};

nb::tuple mapping_of(std::span<const mcs::Pair> pairs) {
    nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(pairs.size())));
    Py_ssize_t i = 0;
    for (const auto [v, w] : pairs) PyTuple_SET_ITEM(result.ptr(), i++, nb::make_tuple(v, w).release().ptr());
    return nb::borrow<nb::tuple>(result);
}

std::vector<mcs::Pair> pairs_of(const Pairs& array) {
    std::vector<mcs::Pair> pairs;
    for (const auto [v, w] : span(array)) pairs.push_back({v, w});
    return pairs;
}

Results search(const Prepared& left, std::size_t i, const Prepared& right, std::size_t j, bool induced, bool connected,
               bool count_edges, std::int64_t visits, double seconds, std::int32_t above,
               const std::optional<Pairs>& start, std::int32_t start_size, const std::optional<Guide>& guide) {
    if (i >= left.count() || j >= right.count()) throw nb::index_error("no such graph");
    const PreparedGraph a = left[i], b = right[j];
    if (guide &&
        (guide->shape(0) != static_cast<std::size_t>(a.size) || guide->shape(1) != static_cast<std::size_t>(b.size)))
        throw nb::value_error("the guide has another shape than the two graphs");
    const std::vector<mcs::Pair> known = start ? pairs_of(*start) : std::vector<mcs::Pair>{};
    const Interrupted ask = interrupted;
    Meter meter({visits, seconds}, &ask);
    meter.start();
    Lease searcher;
    const mcs::Found* found = nullptr;
    {
        const nb::gil_scoped_release release;
        found = &searcher->search(a, b, {induced, connected, count_edges},
                                  {known, start_size, above, guide ? guide->data() : nullptr}, meter);
    }
    if (PyErr_Occurred()) PyErr_Clear();  // the Ctrl-C is told by `interrupted`; the caller raises it with the result
    return Results(nb::make_tuple(mapping_of(found->mapping), found->lower, found->upper, found->visited,
                                  meter.seconds(), found->interrupted));
}

Results greedy(const Prepared& left, std::size_t i, const Prepared& right, std::size_t j, bool induced, bool connected,
               bool count_edges) {
    if (i >= left.count() || j >= right.count()) throw nb::index_error("no such graph");
    const Interrupted ask = interrupted;
    Meter meter(mcs::greedy_budget(left[i], right[j]), &ask);
    meter.start();
    Lease searcher;
    const mcs::Found* found = nullptr;
    {
        const nb::gil_scoped_release release;
        found = &searcher->greedy(left[i], right[j], {induced, connected, count_edges}, meter);
    }
    if (PyErr_Occurred()) PyErr_Clear();
    return Results(nb::make_tuple(mapping_of(found->mapping), found->lower, found->upper, found->visited,
                                  meter.seconds(), found->interrupted));
}

Results all_optima(const Prepared& left, std::size_t i, const Prepared& right, std::size_t j, bool induced,
                   bool connected, bool count_edges, std::int64_t limit, std::int64_t visits, double seconds) {
    if (i >= left.count() || j >= right.count()) throw nb::index_error("no such graph");
    const Interrupted ask = interrupted;
    Meter meter({visits, seconds}, &ask);
    meter.start();
    Lease searcher;
    mcs::Optima optima;
    std::vector<mcs::Pair> mappings;
    std::vector<std::int32_t> lengths;
    {
        const nb::gil_scoped_release release;
        optima = searcher->optima(left[i], right[j], {induced, connected, count_edges}, limit,
                                  {&mappings, &lengths, nullptr}, meter);
    }
    if (PyErr_Occurred()) PyErr_Clear();
    std::vector<std::int32_t> flat;
    for (const auto [v, w] : mappings) flat.insert(flat.end(), {v, w});
    return Results(nb::make_tuple(numpy(std::move(flat)), numpy(std::move(lengths)), optima.complete, meter.visited(),
                                  meter.seconds(), optima.interrupted));
}

struct Limits {  // of each pair
    std::span<const std::int64_t> visits;
    std::span<const double> seconds;
    std::span<const std::int32_t> above;
};

void check(const PairList& pairs, const Prepared& left, const Prepared& right) {
    for (std::size_t k = 0; k < pairs.shape(0); ++k) {
        const std::int64_t i = pairs(k, 0), j = pairs(k, 1);
        if (i < 0 || j < 0 || static_cast<std::size_t>(i) >= left.count() ||
            static_cast<std::size_t>(j) >= right.count())
            throw nb::index_error("a pair names a graph that is not there");
    }
}

// Of each pair: how many optimal mappings there are, and in what share of them each node and each two nodes occur.
Results marginals(const Prepared& left, const Prepared& right, const PairList& pairs, bool induced, bool connected,
                  bool count_edges, std::int64_t limit, std::int64_t visits, double seconds, int threads,
                  nb::object progress) {
    const std::size_t count = pairs.shape(0);
    check(pairs, left, right);
    std::vector<std::size_t> left_begin(1, 0), right_begin(1, 0), match_begin(1, 0);
    for (std::size_t k = 0; k < count; ++k) {
        const auto a = static_cast<std::size_t>(left[static_cast<std::size_t>(pairs(k, 0))].size);
        const auto b = static_cast<std::size_t>(right[static_cast<std::size_t>(pairs(k, 1))].size);
        left_begin.push_back(left_begin.back() + a);
        right_begin.push_back(right_begin.back() + b);
        match_begin.push_back(match_begin.back() + a * b);
    }
    std::vector<std::int32_t> sizes(count, 0);
    std::vector<std::int64_t> mappings(count, -1);  // -1: not searched
    std::vector<std::uint8_t> proved(count, 0), complete(count, 0);
    std::vector<float> left_share(left_begin.back(), 0), right_share(right_begin.back(), 0),
        match_share(match_begin.back(), 0);
    bool finished = false;
    const auto work = [&](std::size_t first, std::size_t last, const std::atomic<bool>& cancelled) {
        const Interrupted ask = [&] { return cancelled.load(); };
        mcs::Searcher searcher;
        std::vector<std::int32_t> votes;
        for (std::size_t k = first; k < last && !cancelled; ++k) {
            votes.assign(match_begin[k + 1] - match_begin[k], 0);
            Meter meter({visits, seconds}, &ask);
            const mcs::Optima optima = searcher.optima(
                left[static_cast<std::size_t>(pairs(k, 0))], right[static_cast<std::size_t>(pairs(k, 1))],
                {induced, connected, count_edges}, limit, {nullptr, nullptr, votes.data()}, meter);
            if (optima.interrupted) break;
            sizes[k] = optima.size;
            mappings[k] = optima.count;
            proved[k] = optima.proved;
            complete[k] = optima.complete;
            const float share = 1.0F / static_cast<float>(std::max<std::int64_t>(1, optima.count));
            const std::size_t width = right_begin[k + 1] - right_begin[k];
            for (std::size_t at = 0; at < votes.size(); ++at) {
                if (!votes[at]) continue;
                const float part = static_cast<float>(votes[at]) * share;
                match_share[match_begin[k] + at] = part;
                left_share[left_begin[k] + at / width] += part;
                right_share[right_begin[k] + at % width] += part;
            }
        }
    };
    {
        const nb::gil_scoped_release release;
        finished = for_chunks(count, 64, threads, watch(progress), work);
    }
    nb::object error = finished ? nb::none() : pending_error();
    return Results(nb::make_tuple(numpy(std::move(sizes)), numpy(std::move(mappings)), numpy(std::move(proved)),
                                  numpy(std::move(complete)), numpy(std::move(left_share)),
                                  numpy(std::move(right_share)), numpy(std::move(match_share)), error));
}

// 8: the search from above, after its patience; with 16, at once.
mcs::Reductions reductions_of(int bits) {
    mcs::Reductions use{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    if (!(bits & 8)) use.patience = std::numeric_limits<std::int64_t>::max();
    if (bits & 16) use.patience = 0;
    return use;
}

Results search_pairs(const Prepared& left, const Prepared& right, const PairList& pairs, bool induced, bool connected,
                     bool count_edges,
                     const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& visits,
                     const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& seconds,
                     const Ints& above, bool with_mappings, int threads, nb::object progress, int reductions) {
    const std::size_t count = pairs.shape(0);
    for (const std::size_t given : {visits.size(), seconds.size(), above.size()})
        if (given != 1 && given != count) throw nb::value_error("limits must be one for all pairs or one a pair");
    const Limits limits{{visits.data(), visits.size()}, {seconds.data(), seconds.size()}, {above.data(), above.size()}};
    check(pairs, left, right);
    std::vector<std::int32_t> lower(count, 0), upper(count, -1);  // -1: not searched
    std::vector<std::int64_t> visited(count, 0);
    std::vector<std::vector<mcs::Pair>> mappings(with_mappings ? count : 0);
    bool finished = false;
    {
        const nb::gil_scoped_release release;
        finished = for_chunks(
            count, 64, threads, watch(progress),
            [&](std::size_t first, std::size_t last, const std::atomic<bool>& cancelled) {
                const Interrupted ask = [&] { return cancelled.load(); };
                mcs::Searcher searcher;
                for (std::size_t k = first; k < last && !cancelled; ++k) {
                    const auto i = static_cast<std::size_t>(pairs(k, 0)), j = static_cast<std::size_t>(pairs(k, 1));
                    Meter meter({one_or_each(limits.visits, k), one_or_each(limits.seconds, k)}, &ask);
                    mcs::Wishes wishes;
                    wishes.above = one_or_each(limits.above, k);
                    wishes.mapping = with_mappings;
                    wishes.reductions = reductions_of(reductions);
                    const mcs::Found& found =
                        searcher.search(left[i], right[j], {induced, connected, count_edges}, wishes, meter);
                    lower[k] = found.lower;
                    upper[k] = found.upper;
                    visited[k] = found.visited;
                    if (with_mappings) mappings[k] = found.mapping;
                }
            });
    }
    nb::object error = finished ? nb::none() : pending_error();
    nb::object packed = nb::none(), offsets = nb::none();
    if (with_mappings) {
        std::vector<std::int64_t> begins(1, 0);
        std::vector<std::int32_t> flat;
        for (const auto& mapping : mappings) {
            for (const auto [v, w] : mapping) flat.insert(flat.end(), {v, w});
            begins.push_back(static_cast<std::int64_t>(flat.size() / 2));
        }
        packed = nb::cast(numpy(std::move(flat)));
        offsets = nb::cast(numpy(std::move(begins)));
    }
    return Results(nb::make_tuple(numpy(std::move(lower)), numpy(std::move(upper)), numpy(std::move(visited)), packed,
                                  offsets, error));
}

}  // namespace

void bind_mcs(nb::module_& m) {
    nb::class_<Prepared>(m, "Prepared", "Graphs made ready for searches, once each.")
        .def(
            "__init__",
            [](Prepared* self, const Offsets& node_offsets, const Offsets& edge_offsets, const Ints& labels,
               const Pairs& edges, const std::optional<Ints>& edge_labels, bool directed, bool use_node_labels,
               bool use_edge_labels, bool induced, int least_words) {
                const GraphsView view = graphs(node_offsets, edge_offsets, labels, edges, edge_labels, directed);
                new (self) Prepared(view, {use_node_labels, use_edge_labels, induced}, least_words);
            },
            nb::arg("node_offsets"), nb::arg("edge_offsets"), nb::arg("labels"), nb::arg("edges"),
            nb::arg("edge_labels").none(), nb::arg("directed"), nb::arg("use_node_labels"), nb::arg("use_edge_labels"),
            nb::arg("induced"), nb::arg("least_words") = 1)
        .def("__len__", &Prepared::count);
    m.attr("most_nodes") = most_nodes;
    m.def("max_common_subgraph", &search, nb::arg("left"), nb::arg("i"), nb::arg("right"), nb::arg("j"),
          nb::arg("induced"), nb::arg("connected"), nb::arg("count_edges"), nb::arg("visits"), nb::arg("seconds"),
          nb::arg("above"), nb::arg("start").none(), nb::arg("start_size"), nb::arg("guide").none());
    m.def("greedy", &greedy, nb::arg("left"), nb::arg("i"), nb::arg("right"), nb::arg("j"), nb::arg("induced"),
          nb::arg("connected"), nb::arg("count_edges"));
    m.def("all_maximum_common_subgraphs", &all_optima, nb::arg("left"), nb::arg("i"), nb::arg("right"), nb::arg("j"),
          nb::arg("induced"), nb::arg("connected"), nb::arg("count_edges"), nb::arg("limit"), nb::arg("visits"),
          nb::arg("seconds"));
    m.def("marginals", &marginals, nb::arg("left"), nb::arg("right"), nb::arg("pairs"), nb::arg("induced"),
          nb::arg("connected"), nb::arg("count_edges"), nb::arg("limit"), nb::arg("visits"), nb::arg("seconds"),
          nb::arg("threads"), nb::arg("progress").none());
    m.def("max_common_subgraphs", &search_pairs, nb::arg("left"), nb::arg("right"), nb::arg("pairs"),
          nb::arg("induced"), nb::arg("connected"), nb::arg("count_edges"), nb::arg("visits"), nb::arg("seconds"),
          nb::arg("above"), nb::arg("with_mappings"), nb::arg("threads"), nb::arg("progress").none(),
          nb::arg("reductions") = 15);
}

}  // namespace infmcs::python
