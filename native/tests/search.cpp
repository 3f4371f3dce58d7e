// Searches of shelves against solving every pair: rankings, ties, bounds, files made to mislead; every width of
// numbers.
#include "../search.hpp"

#include <algorithm>
#include <deque>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"

namespace infmcs::tests {

namespace {

constexpr std::size_t label_columns = 17, pair_columns = 21, star_columns = 19, degree_columns = 3;
constexpr std::int32_t id_of_code_0 = 1'000;  // codes are not ids

int below(std::mt19937& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

struct Drawn {
    std::vector<std::int32_t> codes;
    std::vector<Edge> edges;
};

Drawn drawn(std::mt19937& random, int most, int labels) {
    Drawn made;
    const int size = below(random, most + 1);
    for (int v = 0; v < size; ++v) made.codes.push_back(below(random, labels));
    for (int v = 0; v < size; ++v)
        for (int u = 0; u <= v; ++u)
            if (u + 1 == v || below(random, 8) == 0) made.edges.push_back({u, v});  // loops among them
    return made;
}

struct Rows {
    std::vector<std::int32_t> counts, stars, degrees;
    std::int32_t edges = 0;
};

// As index/signature.py makes them, with poorer hashes.
Rows rows_of(const Drawn& graph) {
    Rows rows{std::vector<std::int32_t>(label_columns + pair_columns), std::vector<std::int32_t>(star_columns), {}};
    std::vector<std::int32_t> degrees(graph.codes.size()), around(graph.codes.size());
    const auto code = [&](std::int32_t v) { return graph.codes[static_cast<std::size_t>(v)]; };
    for (const auto label : graph.codes) ++rows.counts[static_cast<std::size_t>(label) % label_columns];
    for (const auto [u, v] : graph.edges) {
        if (u == v) continue;
        ++rows.edges;
        const auto pair = static_cast<std::size_t>(code(u) * code(v) + code(u) + code(v));
        ++rows.counts[label_columns + pair % pair_columns];
        ++degrees[static_cast<std::size_t>(u)], ++degrees[static_cast<std::size_t>(v)];
        around[static_cast<std::size_t>(u)] += 5 + code(v) * code(v);
        around[static_cast<std::size_t>(v)] += 5 + code(u) * code(u);
    }
    for (std::size_t v = 0; v < around.size(); ++v)
        ++rows.stars[static_cast<std::size_t>(31 * graph.codes[v] + around[v]) % star_columns];
    std::sort(degrees.rbegin(), degrees.rend());
    degrees.resize(degree_columns);
    rows.degrees = degrees;
    return rows;
}

// Numbers of 1, 2 or 4 bytes in a buffer of exactly their size, so that a sanitizer sees a step too far.
class Packed {
public:
    explicit Packed(int width) : width_(width) {}
    void add(std::int32_t number) {
        for (int k = 0; k < width_; ++k) bytes_.push_back(static_cast<std::uint8_t>(number >> (8 * k)));
    }
    Narrow narrow() {
        bytes_.shrink_to_fit();
        return {bytes_.data(), width_};
    }

private:
    int width_;
    std::vector<std::uint8_t> bytes_;
};

class Held {
public:
    Held(const std::vector<Drawn>& graphs, int labels, int width)
        : codes_(width), ends_(width), counts_(width), stars_(width), degrees_(width) {
        for (int code = 0; code < labels; ++code) ids_.push_back(id_of_code_0 + code);
        for (const Drawn& graph : graphs) {
            for (const auto code : graph.codes) codes_.add(code);
            for (const auto [u, v] : graph.edges) ends_.add(u), ends_.add(v);
            nodes_.push_back(nodes_.back() + static_cast<std::int64_t>(graph.codes.size()));
            edges_.push_back(edges_.back() + static_cast<std::int64_t>(graph.edges.size()));
            const Rows rows = rows_of(graph);
            for (const auto count : rows.counts) counts_.add(count);
            for (const auto count : rows.stars) stars_.add(count);
            for (const auto degree : rows.degrees) degrees_.add(degree);
        }
        shelf = {nodes_,
                 edges_,
                 codes_.narrow(),
                 ends_.narrow(),
                 {},
                 ids_,
                 {},
                 counts_.narrow(),
                 stars_.narrow(),
                 degrees_.narrow(),
                 label_columns + pair_columns,
                 label_columns,
                 star_columns,
                 degree_columns,
                 false};
    }

    Shelf shelf;

private:
    std::vector<std::int64_t> nodes_{0}, edges_{0};
    std::vector<std::int32_t> ids_;
    Packed codes_, ends_, counts_, stars_, degrees_;
};

// What a search of a query needs of it.
class Asked {
public:
    Asked(const Drawn& graph, Sight sight) : rows_(rows_of(graph)), labels_(graph.codes), edges_(graph.edges) {
        for (auto& label : labels_) label += id_of_code_0;
        prepared_.become({static_cast<std::int32_t>(labels_.size()), labels_, edges_, {}, false}, sight);
        query = {prepared_[0], rows_.edges, rows_.counts, rows_.stars, rows_.degrees};
    }

private:
    Rows rows_;
    std::vector<std::int32_t> labels_;
    std::vector<Edge> edges_;
    Prepared prepared_;

public:
    search::Query query;
};

const Interrupted never = [] { return false; };

// Every chosen graph solved to the end.
std::vector<search::Hit> all_hits(const search::Query& query, std::span<const Shelf> shelves,
                                  std::span<const std::uint8_t> chosen, const search::Terms& terms) {
    std::vector<search::Hit> hits;
    mcs::Searcher searcher;
    Reader reader;
    std::int64_t place = 0;
    for (const Shelf& shelf : shelves)
        for (std::size_t i = 0; i < shelf.count(); ++i, ++place) {
            if (!chosen[static_cast<std::size_t>(place)]) continue;
            const PreparedGraph graph = reader.take(shelf, i, terms.sight, false);
            Meter meter({});
            const std::int32_t common = searcher.search(query.graph, graph, terms.question, {}, meter).lower;
            const int total = query.graph.size + graph.size;
            const double low = total ? 2.0 * common / total : 1.0;
            if (low >= terms.threshold) hits.push_back({place, low, low, common, common, {}});
        }
    std::stable_sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.low > b.low; });
    return hits;
}

void agree(const search::Outcome& outcome, const std::vector<search::Hit>& all, const search::Terms& terms) {
    const auto room = terms.top < 0 ? all.size() : std::min(all.size(), static_cast<std::size_t>(terms.top));
    CHECK(!outcome.interrupted);
    CHECK(outcome.best.size() == room);
    for (std::size_t k = 0; k < room; ++k) {
        CHECK(outcome.best[k].low == all[k].low && outcome.best[k].high == all[k].low);
        CHECK(static_cast<std::int32_t>(outcome.best[k].mapping.size()) == outcome.best[k].lower);
        if (terms.ties) CHECK(outcome.best[k].place == all[k].place);
    }
    if (room == all.size()) return;
    CHECK(outcome.beyond >= all[room].low);      // sound
    CHECK(outcome.beyond <= all[room - 1].low);  // and the ranking is proven
    if (!terms.ties) return;
    std::vector<std::int64_t> tied, said(outcome.tied);
    for (std::size_t k = room; k < all.size() && all[k].low == all[room - 1].low; ++k) tied.push_back(all[k].place);
    std::sort(said.begin(), said.end());
    CHECK(said == tied);
}

template <class Error, class Act>
bool throws(const Act& act) {
    try {
        act();
    } catch (const Error&) {
        return true;
    }
    return false;
}

void rankings() {
    std::mt19937 random(11);
    for (int trial = 0; trial < 120; ++trial) {
        const int labels = 1 + below(random, 4), widths[] = {1, 2, 4};
        search::Terms terms;
        terms.question = {random() % 2 == 0, random() % 2 == 0, false};
        // Common nodes of what is neither induced nor connected are a count of labels: see mcs::Question.
        if (!terms.question.connected) terms.question.induced = true;
        terms.sight = {random() % 4 != 0, false, terms.question.induced};
        terms.top = below(random, 4) ? 1 + below(random, 6) : -1;
        terms.threshold = below(random, 2) ? 0.25 * below(random, 4) : 0;
        terms.ties = random() % 2 == 0;
        std::deque<Held> held;
        std::vector<Shelf> shelves;
        std::size_t places = 0;
        for (const int width : widths) {
            std::vector<Drawn> graphs;
            for (int k = below(random, 12); k > 0; --k) graphs.push_back(drawn(random, 9, labels));
            places += graphs.size();
            shelves.push_back(held.emplace_back(graphs, labels, width).shelf);
        }
        std::vector<std::uint8_t> chosen;
        for (std::size_t k = 0; k < places; ++k) chosen.push_back(below(random, 5) != 0);
        const Asked asked(drawn(random, 9, labels), terms.sight);
        const std::vector<const Prepared*> ready(shelves.size(), nullptr);
        const auto all = all_hits(asked.query, shelves, chosen, terms);
        std::vector<std::int64_t> first{-1, static_cast<std::int64_t>(places)};  // not there, and so not looked at
        for (int k = below(random, 4); k > 0 && places; --k) first.push_back(below(random, static_cast<int>(places)));
        agree(search::run(asked.query, shelves, ready, chosen, {}, terms, never), all, terms);
        agree(search::run(asked.query, shelves, ready, chosen, first, terms, never), all, terms);

        std::vector<std::int32_t> quick(places), sharp(places);
        search::bounds(asked.query, shelves, chosen, terms, false, quick);
        search::bounds(asked.query, shelves, chosen, terms, true, sharp);
        for (const auto& hit : all) {
            const auto at = static_cast<std::size_t>(hit.place);
            CHECK(hit.lower <= sharp[at] && sharp[at] <= quick[at]);
        }
        std::vector<float> alike(places);
        search::likeness(asked.query, shelves, chosen, alike);
        for (std::size_t k = 0; k < places; ++k)
            CHECK(chosen[k] ? alike[k] >= 0 && alike[k] <= 1 : alike[k] == -1 && quick[k] == -1 && sharp[k] == -1);
    }
}

void spent_or_stopped() {
    std::mt19937 random(3);
    std::vector<Drawn> graphs;
    for (int k = 0; k < 200; ++k) graphs.push_back(drawn(random, 14, 2));
    const Held held(graphs, 2, 1);
    const Prepared* const none = nullptr;
    const std::vector<std::uint8_t> chosen(graphs.size(), 1);
    search::Terms terms;
    terms.top = 5;
    const Asked asked(drawn(random, 14, 2), terms.sight);
    const auto all = all_hits(asked.query, {&held.shelf, 1}, chosen, terms);
    for (const std::int64_t visits : {0, 1, 50, 3'000}) {
        terms.budget.visits = visits;
        const auto found = search::run(asked.query, {&held.shelf, 1}, {&none, 1}, chosen, {}, terms, never);
        CHECK(found.visited <= visits);
        // Whatever was left undone, what is said holds.
        for (const auto& hit : all) {
            const auto same = [&](const search::Hit& one) { return one.place == hit.place; };
            const auto listed = std::find_if(found.best.begin(), found.best.end(), same);
            if (listed == found.best.end())
                CHECK(hit.low <= found.beyond);
            else
                CHECK(listed->low <= hit.low && hit.low <= listed->high);
        }
    }
    terms.budget = {};
    const Interrupted now = [] { return true; };
    terms.top = -1;
    CHECK(search::run(asked.query, {&held.shelf, 1}, {&none, 1}, chosen, {}, terms, now).interrupted);
}

void misleading() {
    const std::vector<Drawn> graphs{{{0, 1}, {{0, 1}}}};
    const Held held(graphs, 2, 1);
    Reader reader;
    CHECK(reader.take(held.shelf, 0, {}, false).size == 2);

    Shelf few = held.shelf;
    few.label_ids = few.label_ids.first(1);
    CHECK(throws<std::out_of_range>([&] { reader.take(few, 0, {}, false); }));

    for (const std::int32_t end : {2, -1}) {
        Packed ends(4);
        ends.add(0), ends.add(end);
        Shelf astray = held.shelf;
        astray.edges = ends.narrow();
        CHECK(throws<std::out_of_range>([&] { reader.take(astray, 0, {}, false); }));
    }

    Shelf bonds = held.shelf;
    const std::uint8_t bond = 3;
    bonds.edge_labels = {&bond, 1};
    CHECK(throws<std::out_of_range>([&] { reader.take(bonds, 0, {true, true, true}, false); }));
    CHECK(reader.take(bonds, 0, {true, false, true}, false).edges == 1);  // they do not count, so nobody looks
}

}  // namespace

void searches() {
    rankings();
    spent_or_stopped();
    misleading();
}

}  // namespace infmcs::tests
