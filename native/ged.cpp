#include "ged.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "branch_matching.hpp"
#include "connected_order.hpp"
#include "ideas.hpp"

namespace infmcs::ged {

namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Prepared prepare(const GraphView& graph, bool node_labels) {
    Prepared ready;
    ready.size = graph.size;
    ready.edges = static_cast<int>(graph.edges.size());
    ready.words = std::max(1, (graph.size + 63) / 64);
    std::vector<std::int32_t> labels(at(graph.size));
    for (std::size_t u = 0; u < labels.size(); ++u) labels[u] = node_labels ? graph.labels[u] : 0;
    std::vector<std::vector<int>> neighbours(at(graph.size));
    for (const auto [u, v] : graph.edges) {
        neighbours[at(u)].push_back(v);
        neighbours[at(v)].push_back(u);
    }
    ready.number = connected_order(labels, neighbours);
    std::vector<int> place(at(graph.size));
    for (int k = 0; k < graph.size; ++k) place[at(ready.number[at(k)])] = k;

    const auto words = at(ready.words);
    ready.rows.assign(at(graph.size) * words, 0);
    ready.earlier_twins.assign(at(graph.size) * words, 0);
    const auto set = [&](std::vector<Word>& rows, int u, int v) {
        rows[at(u) * words + at(v >> 6)] |= Word{1} << (v & 63);
    };
    for (int k = 0; k < graph.size; ++k) {
        ready.labels.push_back(labels[at(ready.number[at(k)])]);
        for (const int v : neighbours[at(ready.number[at(k)])]) set(ready.rows, k, place[at(v)]);
    }
    for (int u = 0; u < graph.size; ++u)
        for (int v = 0; v < u; ++v) {
            if (ready.labels[at(u)] != ready.labels[at(v)]) continue;
            bool alike = true;
            for (std::size_t w = 0; w < words && alike; ++w) {
                Word differ = ready.rows[at(u) * words + w] ^ ready.rows[at(v) * words + w];
                if (at(u >> 6) == w) differ &= ~(Word{1} << (u & 63));
                if (at(v >> 6) == w) differ &= ~(Word{1} << (v & 63));
                alike = differ == 0;
            }
            if (alike) set(ready.earlier_twins, u, v);
        }
    ready.kinds = ready.labels;
    std::sort(ready.kinds.begin(), ready.kinds.end());
    return ready;
}

namespace {

// Depth-first branch and bound for graphs of at most 64 * W nodes. Each state goes on with the left node that has
// fewest images left; its children are dropped by label sets first, then by branch matching.
template <std::size_t W>
class Search {
    using Set = Bits<W>;
    static constexpr int most = static_cast<int>(64 * W);
    // With so few left nodes to place, label sets alone are faster. Without them the matching prices whole mappings.
    static constexpr int by_labels = !uses(label_sets) ? -1 : uses(stopping_matching) ? 5 : 0;

public:
    // left must not be the larger graph. Images are in prepared numbers.
    Outcome run(const Prepared& left, const Prepared& right, const Request& request) {
        load(left, right);
        Outcome outcome;
        Meter meter(request.budget, request.interrupted);
        meter_ = &meter;
        below_ = request.below;
        random_ = 1;
        levels_ = matching_.begin(n_, m_);
        matching_.root(left_row_.data(), right_row_.data(),
                       [&](int u, int v) { return left_label_[at(u)] != right_label_[at(v)]; });
        matching_.solve(0, matching_.never);
        const int root = (matching_.total(0) + 1) / 2;
        for (int u = 0; u < n_; ++u) images_[at(u)] = matching_.column_of(0, u);
        if (uses(descending)) descend();
        best_ = cost_of_images();
        best_images_ = images_;
        limit_ = below_ >= 0 && below_ < best_ ? below_ + 1 : best_;
        enough_ = below_ >= 0 && best_ <= below_;
        open_ = limit_;
        if (root < limit_ && !enough_) expand(0, 0, root);
        outcome.upper = best_;
        // What was not explored costs at least open_; what was cut costs at least limit_.
        outcome.lower = std::max(root, std::min({best_, enough_ ? root : limit_, open_}));
        outcome.visited = meter.visited();
        outcome.interrupted = meter.was_interrupted();
        outcome.images.assign(best_images_.begin(), best_images_.begin() + n_);
        return outcome;
    }

private:
    void load(const Prepared& left, const Prepared& right) {
        n_ = left.size;
        m_ = right.size;
        left_edges_ = left.edges;
        right_edges_ = right.edges;
        for (int u = 0; u < n_; ++u) {
            left_label_[at(u)] = left.labels[at(u)];
            left_row_[at(u)] = row(left.row(u), left.words);
        }
        for (int v = 0; v < m_; ++v) {
            right_label_[at(v)] = right.labels[at(v)];
            right_row_[at(v)] = row(right.row(v), right.words);
            twins_[at(v)] = row(right.twins(v), right.words);
            anchors_[at(v)] = Set::none();
        }
        placed_ = Set::none();
        waiting_ = Set::below(n_);
        inner_left_ = left.edges;
        free_ = Set::below(m_);
        count_labels(left, right);
        inner_right_ = right.edges;
        more_ = fewer_ = Set::none();
        anchored_ = 0;
    }

    void count_labels(const Prepared& left, const Prepared& right) {
        const auto beyond = at(
            std::max(left.kinds.empty() ? 0 : left.kinds.back() + 1, right.kinds.empty() ? 0 : right.kinds.back() + 1));
        if (free_left_.size() < beyond) free_left_.resize(beyond), free_right_.resize(beyond);
        for (const auto* kinds : {&left.kinds, &right.kinds})
            for (const std::int32_t label : *kinds) free_left_[at(label)] = free_right_[at(label)] = 0;
        common_ = 0;
        for (const std::int32_t label : left.kinds) ++free_left_[at(label)];
        for (const std::int32_t label : right.kinds) common_ += ++free_right_[at(label)] <= free_left_[at(label)];
    }

    static Set row(const Word* words, int count) {
        Set set{};
        for (std::size_t w = 0; w < W && static_cast<int>(w) < count; ++w) set.words[w] = words[w];
        return set;
    }

    // -- LSa: label sets, aware of anchors (Chang et al. 2020) ------------------------------------------------

    // A lower bound for all edit paths that go on with u -> v.
    int label_set_bound(int u, int v, int cost) const {
        const Set here = left_row_[at(u)] & placed_;
        const Set& there = anchors_[at(v)];
        const Set only_here = here.without(there), only_there = there.without(here);
        // An anchor with more edges left to give than its image loses one that need not be deleted later.
        const int edges = 2 * (only_here.without(more_).count() + only_there.without(fewer_).count());
        const int a = left_label_[at(u)], b = right_label_[at(v)];
        int common = common_ - 1;
        if (a != b)
            common = common_ - (free_left_[at(a)] <= free_right_[at(a)]) - (free_right_[at(b)] <= free_left_[at(b)]);
        const int labels = (a != b) + (m_ - placed_count_ - 1) - common;
        const int rest_here = (left_row_[at(u)] & waiting_).count(), rest = (right_row_[at(v)] & free_).count();
        const int inner = std::abs(inner_left_ - rest_here - (inner_right_ - rest));
        return cost + anchored_ + edges + labels + inner + std::abs(rest_here - rest);
    }

    // -- one step ---------------------------------------------------------------------------------------------

    struct Step {
        Set more, fewer;
        int anchored, inner_left, inner_right, common;
    };

    // Makes u -> v; returns what it costs.
    int place(int u, int v, Step& before) {
        before = {more_, fewer_, anchored_, inner_left_, inner_right_, common_};
        images_[at(u)] = v;
        const Set here = left_row_[at(u)] & placed_, there = anchors_[at(v)];
        placed_.add(u);
        waiting_.remove(u);
        ++placed_count_;
        free_.remove(v);
        const int a = left_label_[at(u)], b = right_label_[at(v)];
        common_ -= free_left_[at(a)]-- <= free_right_[at(a)];
        common_ -= free_right_[at(b)]-- <= free_left_[at(b)];
        const auto shift = [&](int t, int by) {
            int& surplus = surplus_[at(t)];
            anchored_ -= std::abs(surplus);
            surplus += by;
            anchored_ += std::abs(surplus);
            more_.put(t, surplus > 0);
            fewer_.put(t, surplus < 0);
        };
        here.without(there).each([&](int t) { shift(t, -1); });
        there.without(here).each([&](int t) { shift(t, 1); });
        const Set rest = right_row_[at(v)] & free_;
        const int count = rest.count(), count_here = (left_row_[at(u)] & waiting_).count();
        rest.each([&](int w) { anchors_[at(w)].add(u); });
        inner_left_ -= count_here;
        inner_right_ -= count;
        surplus_[at(u)] = count_here - count;
        anchored_ += std::abs(surplus_[at(u)]);
        more_.put(u, surplus_[at(u)] > 0);
        fewer_.put(u, surplus_[at(u)] < 0);
        return (a != b) + (here ^ there).count();
    }

    void take_back(int u, int v, const Step& before) {
        (right_row_[at(v)] & free_).each([&](int w) { anchors_[at(w)].remove(u); });
        placed_.remove(u);
        waiting_.add(u);
        --placed_count_;
        const Set here = left_row_[at(u)] & placed_, there = anchors_[at(v)];
        here.without(there).each([&](int t) { ++surplus_[at(t)]; });
        there.without(here).each([&](int t) { --surplus_[at(t)]; });
        free_.add(v);
        ++free_left_[at(left_label_[at(u)])];
        ++free_right_[at(right_label_[at(v)])];
        more_ = before.more;
        fewer_ = before.fewer;
        anchored_ = before.anchored;
        inner_left_ = before.inner_left;
        inner_right_ = before.inner_right;
        common_ = before.common;
    }

    struct Child {
        int bound, node;
        auto operator<=>(const Child&) const = default;
    };

    // `cost` has been paid for the placed nodes; no completion costs less than `bound`.
    void expand(int level, int cost, int bound) {
        if (meter_->spent()) {
            open_ = std::min(open_, bound);
            return;
        }
        if (level == n_) {
            if (bound < limit_) improve(bound);
            return;
        }
        if (W == 1 && uses(shaking) && time_to_shake(meter_->visited())) shake();
        const bool match = uses(matching) && level < levels_ && n_ - level > by_labels;
        const int enough = 2 * (limit_ - cost) - 1;  // in half units
        int u = match && (uses(fewest_first) || uses(ruling_out)) ? matching_.narrow(level, enough) : waiting_.first();
        if (!uses(fewest_first)) u = waiting_.first();
        std::array<Child, at(most)> children;
        int count = 0;
        free_.each([&](int v) {
            if (uses(twins) && (twins_[at(v)] & free_).any()) return;
            if (match && matching_.ruled_out(level, u, v)) return;
            int least = uses(label_sets) ? label_set_bound(u, v, cost) : bound;
            if (least >= limit_) return;
            if (match && uses(ruling_out)) least = std::max(least, cost + (matching_.least(level, u, v) + 1) / 2);
            children[at(count++)] = {std::max(bound, least), v};
        });
        std::sort(children.begin(), children.begin() + count);
        for (int i = 0; i < count; ++i) {
            auto [least, v] = children[at(i)];
            if (least >= limit_) break;
            if (enough_ || meter_->stopped()) {
                open_ = std::min(open_, least);
                break;
            }
            Step before;
            const int paid = cost + place(u, v, before);
            bool alive = true;
            if (match && level + 1 < levels_ && n_ - level - 1 > by_labels) {
                matching_.child(level, u, v, left_row_[at(u)], right_row_[at(v)]);
                alive = matching_.solve(level + 1, 2 * (limit_ - paid) - 1);
                if (alive) {
                    least = std::max(least, paid + (matching_.total(level + 1) + 1) / 2);
                    waiting_.each([&](int x) { images_[at(x)] = matching_.column_of(level + 1, x); });
                    const int whole = cost_of_images();
                    if (uses(inner_upper) && whole < limit_) improve(whole);
                    alive = least < limit_ && !enough_;
                }
            }
            if (alive) expand(level + 1, paid, least);
            take_back(u, v, before);
        }
    }

    void improve(int cost) {
        best_ = limit_ = cost;
        best_images_ = images_;
        if (below_ >= 0 && best_ <= below_) enough_ = true;
    }

    // -- upper bounds: what a whole mapping costs, and descent ---------------------------------------------------

    // For each right node, the left nodes whose images it is adjacent to.
    void fill_preimages() {
        for (int v = 0; v < m_; ++v) preimages_[at(v)] = Set::none();
        for (int u = 0; u < n_; ++u) right_row_[at(images_[at(u)])].each([&](int w) { preimages_[at(w)].add(u); });
    }

    int cost_of_images() {
        fill_preimages();
        int twice = 0, relabelled = 0;
        for (int u = 0; u < n_; ++u) {
            const int v = images_[at(u)];
            relabelled += left_label_[at(u)] != right_label_[at(v)];
            twice += (left_row_[at(u)] ^ preimages_[at(v)]).count() - preimages_[at(v)].count();
        }
        return relabelled + m_ - n_ + right_edges_ + twice / 2;
    }

    // First improvement over exchanges of two images and moves to an unused right node, until neither helps.
    void descend() {
        fill_preimages();
        Set unused = Set::below(m_);
        for (int u = 0; u < n_; ++u) unused.remove(images_[at(u)]);
        const auto label = [&](int u, int v) { return int{left_label_[at(u)] != right_label_[at(v)]}; };
        for (bool better = true; better;) {
            better = false;
            for (int u = 0; u < n_; ++u) {
                for (int other = u + 1; other < n_; ++other) {
                    const int v = images_[at(u)], w = images_[at(other)];
                    Set pair = Set::none();
                    pair.add(u);
                    pair.add(other);
                    const auto edges = [&](int x, int y) {
                        return (left_row_[at(x)] ^ preimages_[at(y)]).without(pair).count();
                    };
                    const int gain = edges(u, v) + edges(other, w) - edges(u, w) - edges(other, v) + label(u, v) +
                                     label(other, w) - label(u, w) - label(other, v);
                    if (gain <= 0) continue;
                    std::swap(images_[at(u)], images_[at(other)]);
                    (right_row_[at(v)] ^ right_row_[at(w)]).each([&](int x) {
                        preimages_[at(x)].flip(u);
                        preimages_[at(x)].flip(other);
                    });
                    better = true;
                }
                const int v = images_[at(u)];
                Set self = Set::none();
                self.add(u);
                const auto edges = [&](int y) {
                    const Set there = preimages_[at(y)].without(self);
                    return (left_row_[at(u)] ^ there).count() - there.count();
                };
                int chosen = -1, most_gain = 0;
                unused.each([&](int w) {
                    const int gain = edges(v) - edges(w) + label(u, v) - label(u, w);
                    if (gain > most_gain) most_gain = gain, chosen = w;
                });
                if (chosen < 0) continue;
                images_[at(u)] = chosen;
                unused.remove(chosen);
                unused.add(v);
                (right_row_[at(v)] ^ right_row_[at(chosen)]).each([&](int x) { preimages_[at(x)].flip(u); });
                better = true;
            }
        }
    }

    // A hard pair spends most of its search above the distance, not at it: a better mapping early halves it. So now and
    // then the best mapping is shaken, three exchanges and a descent at a time. Never on easy pairs, and never for
    // longer than a tenth of the search or so; the draws are the same every time.
    static bool time_to_shake(std::int64_t visited) {
        return visited >= 128 && (visited % 4096 == 0 || (visited & (visited - 1)) == 0);
    }

    void shake() {
        const auto state = images_;
        auto from = best_images_;
        int reached = best_;
        const auto times = std::min<std::int64_t>(meter_->visited() / 16, 256);
        for (std::int64_t k = 0; k < times && !enough_; ++k) {
            images_ = from;
            for (int i = 0; i < 3; ++i) std::swap(images_[at(draw(n_))], images_[at(draw(n_))]);
            descend();
            const int cost = cost_of_images();
            if (cost <= reached) reached = cost, from = images_;
            if (cost < limit_) improve(cost);
        }
        images_ = state;
    }

    int draw(int below) {
        random_ = random_ * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
        return static_cast<int>((random_ >> 33) % static_cast<unsigned>(below));
    }

    int n_ = 0, m_ = 0, left_edges_ = 0, right_edges_ = 0;
    std::array<std::int32_t, at(most)> left_label_{}, right_label_{};
    std::array<Set, at(most)> left_row_, right_row_, twins_;

    // The state.
    std::array<int, at(most)> images_{};
    std::array<Set, at(most)> anchors_;        // of a free right node: left nodes whose image is its neighbour
    std::array<int, at(most)> surplus_{};      // of a placed left node: its open edges less its image's
    Set free_{}, more_{}, fewer_{};            // free right nodes; placed nodes with surplus above, below 0
    std::vector<int> free_left_, free_right_;  // how often each label is free
    Set placed_{}, waiting_{};                 // left nodes
    int placed_count_ = 0, common_ = 0, inner_left_ = 0, inner_right_ = 0, anchored_ = 0;

    int best_ = 0, limit_ = 0, open_ = 0, below_ = -1;
    bool enough_ = false;
    std::array<int, at(most)> best_images_{};
    std::array<Set, at(most)> preimages_;
    BranchMatching<W> matching_;
    int levels_ = 0;
    std::uint64_t random_ = 1;
    Meter* meter_ = nullptr;
};

}  // namespace

struct Solver::Searches {
    std::unique_ptr<Search<1>> one;
    std::unique_ptr<Search<2>> two;
    std::unique_ptr<Search<4>> four;
    std::unique_ptr<Search<16>> sixteen;
};

Solver::Solver() : searches_(std::make_unique<Searches>()) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;

Outcome Solver::distance(const Prepared& left, const Prepared& right, const Request& request) {
    const bool turned = left.size > right.size;
    const Prepared& small = turned ? right : left;
    const Prepared& large = turned ? left : right;
    const auto with = [&](auto& search) {
        using Kind = typename std::remove_reference_t<decltype(search)>::element_type;
        if (!search) search = std::make_unique<Kind>();
        return search->run(small, large, request);
    };
    Outcome found = large.size <= 64    ? with(searches_->one)
                    : large.size <= 128 ? with(searches_->two)
                    : large.size <= 256 ? with(searches_->four)
                                        : with(searches_->sixteen);
    std::vector<std::int32_t> images(at(left.size), -1);
    for (int k = 0; k < small.size; ++k) {
        const int u = turned ? found.images[at(k)] : k, v = turned ? k : found.images[at(k)];
        images[at(left.number[at(u)])] = right.number[at(v)];
    }
    found.images = std::move(images);
    return found;
}

std::vector<Prepared> prepare_all(const GraphsView& graphs, bool node_labels) {
    std::vector<Prepared> ready;
    ready.reserve(graphs.count());
    for (std::size_t i = 0; i < graphs.count(); ++i) ready.push_back(prepare(graphs[i], node_labels));
    return ready;
}

bool distances(const Bulk<Prepared, std::int32_t>& bulk, int threads, const Watch& watch) {
    return solve_pairs(bulk, threads, watch, [] {
        return [solver = Solver()](const Prepared& left, const Prepared& right, const Request& request) mutable {
            return solver.distance(left, right, request);
        };
    });
}

}  // namespace infmcs::ged
