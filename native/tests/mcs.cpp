// Common subgraphs against plain McSplit and against trying everything; every row length; bounds; listings.
#include "../mcs.hpp"

#include <functional>
#include <random>
#include <vector>

#include "../bounds.hpp"
#include "check.hpp"
#include "plain_mcsplit.hpp"

namespace infmcs::tests {

namespace {

struct Case {
    std::vector<std::int32_t> labels, edge_labels;
    std::vector<Edge> edges;
    bool directed = false;

    int size() const { return static_cast<int>(labels.size()); }
    std::vector<std::int64_t> nodes() const { return {0, size()}; }
    std::vector<std::int64_t> ends() const { return {0, static_cast<std::int64_t>(edges.size())}; }
    // What an ordered pair of nodes is: 0 not adjacent, else its edge's label and 1.
    int joined(int u, int v) const {
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const auto [from, to] = edges[i];
            if ((from == u && to == v) || (!directed && from == v && to == u)) return edge_labels[i] + 1;
        }
        return 0;
    }
};

int below(std::mt19937& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

Case random_case(std::mt19937& random, int size, double density, int labels, int bonds, bool directed, bool loops) {
    Case made;
    made.directed = directed;
    for (int v = 0; v < size; ++v) made.labels.push_back(below(random, labels));
    for (int u = 0; u < size; ++u)
        for (int v = directed ? 0 : u; v < size; ++v) {
            if (u == v && !loops) continue;
            if (std::uniform_real_distribution<>()(random) >= density) continue;
            made.edges.push_back({u, v});
            made.edge_labels.push_back(below(random, bonds));
        }
    return made;
}

class Ready {
public:
    Ready(const Case& one, Sight sight, int least_words)
        : nodes_(one.nodes()),
          ends_(one.ends()),
          view_{nodes_, ends_, one.labels, one.edges, one.edge_labels, one.directed},
          prepared(view_, sight, least_words) {}
    const GraphsView& view() const { return view_; }

private:
    std::vector<std::int64_t> nodes_, ends_;
    GraphsView view_;

public:
    Prepared prepared;
};

// What a mapping is worth by the definition; -1 if it is no common subgraph.
int worth(const Case& a, const Case& b, std::span<const mcs::Pair> pairs, mcs::Question question) {
    int edges = 0;
    std::vector<std::size_t> reached;
    std::vector<std::vector<std::size_t>> next(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (a.labels[static_cast<std::size_t>(pairs[i].left)] != b.labels[static_cast<std::size_t>(pairs[i].right)])
            return -1;
        for (std::size_t j = 0; j < pairs.size(); ++j) {
            const int here = a.joined(pairs[i].left, pairs[j].left), there = b.joined(pairs[i].right, pairs[j].right);
            if (question.induced && here != there) return -1;
            if (!here || here != there) continue;
            if (a.directed || i <= j) ++edges;
            next[i].push_back(j);
            next[j].push_back(i);
        }
    }
    if (question.connected && !pairs.empty()) {
        std::vector<char> seen(pairs.size(), 0);
        seen[0] = 1;
        reached.push_back(0);
        for (std::size_t k = 0; k < reached.size(); ++k)
            for (const std::size_t j : next[reached[k]])
                if (!seen[j]) seen[j] = 1, reached.push_back(j);
        if (reached.size() < pairs.size()) return -1;
    }
    return question.count_edges ? edges : static_cast<int>(pairs.size());
}

int by_trying_everything(const Case& a, const Case& b, mcs::Question question) {
    int best = 0;
    std::vector<mcs::Pair> pairs;
    std::vector<char> used(static_cast<std::size_t>(b.size()), 0);
    const std::function<void(int)> go = [&](int v) {
        if (v == a.size()) {
            best = std::max(best, worth(a, b, pairs, question));
            return;
        }
        go(v + 1);
        for (int w = 0; w < b.size(); ++w) {
            if (used[static_cast<std::size_t>(w)]) continue;
            used[static_cast<std::size_t>(w)] = 1;
            pairs.push_back({v, w});
            go(v + 1);
            pairs.pop_back();
            used[static_cast<std::size_t>(w)] = 0;
        }
    };
    go(0);
    return best;
}

PlainGraph plain(const Case& one) {
    const auto size = one.labels.size();
    PlainGraph made{one.labels, std::vector<std::vector<char>>(size, std::vector<char>(size, 0))};
    for (const auto [u, v] : one.edges)
        made.adjacent[static_cast<std::size_t>(u)][static_cast<std::size_t>(v)] =
            made.adjacent[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)] = 1;
    return made;
}

constexpr mcs::Question questions[] = {
    {true, true, false}, {true, false, false}, {false, true, false}, {false, true, true}, {false, false, true}};

void small_ones() {
    std::mt19937 random(7);
    mcs::Searcher searcher;
    for (int trial = 0; trial < 120; ++trial) {
        const bool directed = trial % 2, loops = trial % 3 == 0;
        const double density = (trial % 5) / 4.0;
        const Case a = random_case(random, below(random, 6), density, 1 + trial % 3, 1 + trial % 2, directed, loops),
                   b = random_case(random, below(random, 6), density, 2, 2, directed, loops);
        for (const mcs::Question question : questions) {
            const Sight sight{true, true, question.induced};
            const int exact = by_trying_everything(a, b, question);
            for (const int words : {1, 2, 4, 16}) {
                const Ready left(a, sight, words), right(b, sight, words);
                Meter meter({});
                const mcs::Found& found = searcher.search(left.prepared[0], right.prepared[0], question, {}, meter);
                CHECK(found.lower == exact && found.upper == exact);
                CHECK(worth(a, b, found.mapping, question) == exact);
                std::vector<mcs::Pair> mappings;
                std::vector<std::int32_t> lengths;
                std::vector<std::int32_t> votes(static_cast<std::size_t>(a.size() * b.size()), 0);
                Meter another({});
                const mcs::Optima all = searcher.optima(left.prepared[0], right.prepared[0], question, 1 << 20,
                                                        {&mappings, &lengths, votes.data()}, another);
                CHECK(all.complete && all.size == exact && all.count >= 1);
                CHECK(all.count == static_cast<std::int64_t>(lengths.size()));
                std::size_t first = 0;
                for (const std::int32_t length : lengths) {
                    const auto one = std::span(mappings).subspan(first, static_cast<std::size_t>(length));
                    CHECK(worth(a, b, one, question) == exact);
                    first += static_cast<std::size_t>(length);
                }
                std::int64_t votes_cast = 0;
                for (const std::int32_t vote : votes) votes_cast += vote;
                CHECK(votes_cast == static_cast<std::int64_t>(mappings.size()));
                Meter third(mcs::greedy_budget(left.prepared[0], right.prepared[0]));
                const mcs::Found& greedy = searcher.greedy(left.prepared[0], right.prepared[0], question, third);
                CHECK(greedy.lower <= exact && exact <= greedy.upper);
                CHECK(worth(a, b, greedy.mapping, question) == greedy.lower);
            }
            const Ready left(a, sight, 1), right(b, sight, 1);
            const bounds::Profiles ours(left.view(), sight, question.connected),
                theirs(right.view(), sight, question.connected);
            bounds::Bounder bounder(question);
            int before = 1 << 20;
            for (int level = 0; level < bounds::levels; ++level) {
                const int bound = bounder.upper(ours, 0, theirs, 0, static_cast<bounds::Level>(level));
                CHECK(exact <= bound && bound <= before);
                before = bound;
            }
        }
    }
}

void against_plain() {
    std::mt19937 random(8);
    mcs::Searcher searcher;
    for (int trial = 0; trial < 60; ++trial) {
        const double density = 0.1 + 0.2 * (trial % 4);
        const Case a = random_case(random, 8 + below(random, 6), density, 1 + trial % 4, 1, false, false),
                   b = random_case(random, 8 + below(random, 6), density, 1 + trial % 4, 1, false, false);
        const PlainGraph left = plain(a), right = plain(b);
        for (const bool connected : {true, false}) {
            PlainMcSplit oracle(left, right, connected);
            const int exact = oracle.solve();
            const Ready ours(a, {true, false, true}, 1), theirs(b, {true, false, true}, 1);
            Meter meter({});
            const mcs::Found& found =
                searcher.search(ours.prepared[0], theirs.prepared[0], {true, connected, false}, {}, meter);
            CHECK(found.lower == exact && found.upper == exact);
            mcs::Wishes wishes;
            wishes.above = exact;
            Meter again({});
            const mcs::Found& none =
                searcher.search(ours.prepared[0], theirs.prepared[0], {true, connected, false}, wishes, again);
            CHECK(none.lower == 0 && none.upper <= exact);
        }
    }
}

// Graphs of every row length, directed, with labels at nodes and edges, loops too: a budget ends the search on its way.
void large_ones() {
    std::mt19937 random(9);
    mcs::Searcher searcher;
    for (const int size : {63, 64, 65, 129, 257, 600, 1024}) {
        const Case a = random_case(random, size - 1, 3.0 / size, 3, 2, size % 2 == 1, true),
                   b = random_case(random, size, 3.0 / size, 3, 2, size % 2 == 1, true);
        std::vector<float> guide(static_cast<std::size_t>(a.size() * b.size()));
        for (float& wish : guide) wish = static_cast<float>(below(random, 100));
        for (const mcs::Question question : questions) {
            const Sight sight{true, true, question.induced};
            const Ready left(a, sight, 1), right(b, sight, 1);
            for (const float* wish : {static_cast<const float*>(nullptr), static_cast<const float*>(guide.data())}) {
                mcs::Wishes wishes;
                wishes.guide = wish;
                Meter meter({200});
                const mcs::Found& found = searcher.search(right.prepared[0], left.prepared[0], question, {}, meter);
                CHECK(meter.visited() <= 200);
                CHECK(0 < found.lower && found.lower <= found.upper);
                CHECK(worth(b, a, found.mapping, question) == found.lower);
                Meter another({200});
                const mcs::Found& guided =
                    searcher.search(left.prepared[0], right.prepared[0], question, wishes, another);
                CHECK(worth(a, b, guided.mapping, question) == guided.lower);
            }
        }
    }
}

}  // namespace

void mcs_tests() {
    small_ones();
    against_plain();
    large_ones();
}

}  // namespace infmcs::tests
