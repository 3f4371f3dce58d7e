#include "ged_best_first.hpp"

#include <algorithm>
#include <limits>

#include "ged_bipartite.hpp"

namespace infmcs::ged {

namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr std::size_t most_images = std::size_t{1} << 27;  // 256 MB of open states

}  // namespace

Finding BestFirst::search(const Costed& left, const Costed& right, const Prices& prices, const Wish& wish, int width) {
    pair_.load(left, right, prices);
    matching_.use(prices);
    Meter meter(wish.budget, wish.interrupted);
    width_ = width;
    open_.clear();
    pool_.clear();
    unused_.clear();
    born_ = 0;
    thrown_away_ = std::numeric_limits<double>::infinity();
    prepare();
    pool_.resize(at(pair_.n));
    used_.assign(at(pair_.m), 0);
    open_.push_back({0, 0, 0, born_++, 0});
    const Precision precision(prices.whole);
    Finding found;
    for (;;) {
        const State best = take_best();
        if (best.level == pair_.n) {
            std::vector<int> mapping(images(best.slot), images(best.slot) + pair_.n);
            found.upper = std::max(pair_.cost(mapping.data()), 0.0);
            found.lower = std::min(std::max(precision.sharp(std::min(thrown_away_, found.upper)), 0.0), found.upper);
            found.images = own_numbers(left, right, mapping);
            break;
        }
        if (meter.spent() || pool_.size() > most_images) {
            found = Bipartite().branch(left, right, prices, true);
            const double least = precision.sharp(std::min(best.estimate, thrown_away_));
            found.lower = std::min(std::max(found.lower, least), found.upper);
            break;
        }
        expand(best);
        unused_.push_back(best.slot);
    }
    found.visited = meter.visited();
    found.interrupted = meter.was_interrupted();
    return found;
}

void BestFirst::prepare() {
    const int n = pair_.n, kinds = pair_.prices->edge_kinds;
    left_edges_.assign(at((n + 1) * kinds), 0);
    for (int level = n; level >= 0; --level) {
        int* const here = left_edges_.data() + level * kinds;
        if (level == n) continue;
        std::copy_n(left_edges_.data() + (level + 1) * kinds, kinds, here);
        pair_.each_tie(*pair_.left, level, [&](const Tie& tie) {  // settled with this node: edges to earlier ones
            if (tie.to < level) ++here[tie.out], ++here[tie.in];
        });
        here[0] = 0;
    }
    left_nodes_.assign(at(pair_.prices->node_kinds), 0);
    right_nodes_.assign(at(pair_.prices->node_kinds), 0);
    right_edges_.assign(at(kinds), 0);
}

BestFirst::State BestFirst::take_best() {
    if (!width_) std::pop_heap(open_.begin(), open_.end(), [](const State& a, const State& b) { return b < a; });
    const State best = open_.back();
    open_.pop_back();
    return best;
}

void BestFirst::expand(const State& state) {
    const Prices& prices = *pair_.prices;
    const int n = pair_.n, m = pair_.m, u = state.level, kinds = prices.edge_kinds;
    const std::vector<std::int16_t> image(images(state.slot), images(state.slot) + u);
    std::fill(used_.begin(), used_.end(), 0);
    for (const int v : image)
        if (v >= 0) used_[at(v)] = 1;
    std::fill(right_edges_.begin(), right_edges_.end(), 0);
    std::fill(left_nodes_.begin(), left_nodes_.end(), 0);
    std::fill(right_nodes_.begin(), right_nodes_.end(), 0);
    free_ = common_ = 0;
    for (int v = 0; v < m; ++v) {
        if (!used_[at(v)]) ++free_, ++right_nodes_[at(pair_.right->kinds[at(v)])];
        pair_.each_tie(*pair_.right, v, [&](const Tie& tie) {
            if (v < tie.to && !(used_[at(v)] && used_[at(tie.to)])) ++right_edges_[tie.out], ++right_edges_[tie.in];
        });
    }
    right_edges_[0] = 0;
    for (int x = u + 1; x < n; ++x) {
        const int kind = pair_.left->kinds[at(x)];
        common_ += ++left_nodes_[at(kind)] <= right_nodes_[at(kind)];
    }
    for (int v = 0; v < m; ++v) {
        if (used_[at(v)]) continue;
        double paid = state.paid + pair_.keeping(u, v);
        pair_.each_tie(*pair_.left, u, [&](const Tie& tie) {
            if (tie.to >= u) return;
            const int y = image[at(tie.to)];
            const int out = y < 0 ? 0 : pair_.there[at(v * m + y)];
            paid += prices.of_edge(tie.out, out) - prices.of_edge(0, out);
            if (pair_.directed) {
                const int in = y < 0 ? 0 : pair_.there[at(y * m + v)];
                paid += prices.of_edge(tie.in, in) - prices.of_edge(0, in);
            }
        });
        edges_now_.assign(right_edges_.begin(), right_edges_.begin() + kinds);
        pair_.each_tie(*pair_.right, v, [&](const Tie& tie) {
            if (!used_[at(tie.to)]) return;
            paid += pair_.insertion(tie);
            --edges_now_[tie.out];
            --edges_now_[tie.in];
        });
        edges_now_[0] = 0;
        offer(state, v, paid, paid + rest_of_nodes(u + 1, v) + rest_of_edges(u + 1));
    }
    double paid = state.paid + pair_.remove[at(u)];
    pair_.each_tie(*pair_.left, u, [&](const Tie& tie) { paid += tie.to < u ? pair_.removal(tie) : 0; });
    edges_now_.assign(right_edges_.begin(), right_edges_.begin() + kinds);
    offer(state, -1, paid, paid + rest_of_nodes(u + 1, -1) + rest_of_edges(u + 1));
}

// The nodes from `level` on against the free right ones but one.
double BestFirst::rest_of_nodes(int level, int without) {
    const Prices& prices = *pair_.prices;
    if (prices.plain_node) {
        int common = common_, free = free_;
        if (without >= 0) {
            const int kind = pair_.right->kinds[at(without)];
            common -= right_nodes_[at(kind)] <= left_nodes_[at(kind)];
            --free;
        }
        return (*prices.plain_node)(pair_.n - level, free, common);
    }
    rows_.assign(pair_.left->kinds.begin() + level, pair_.left->kinds.end());
    columns_.clear();
    for (int v = 0; v < pair_.m; ++v)
        if (!used_[at(v)] && v != without) columns_.push_back(pair_.right->kinds[at(v)]);
    return matching_.cheapest(rows_, columns_, [&](int a, int b) { return prices.of_node(a, b); });
}

double BestFirst::rest_of_edges(int level) {
    return matching_.of_counts(left_edges_.data() + level * pair_.prices->edge_kinds, edges_now_.data());
}

void BestFirst::offer(const State& parent, int image, double paid, double estimate) {
    estimate = std::max(estimate, parent.estimate);
    if (width_ && static_cast<int>(open_.size()) == width_) {
        if (!(estimate < open_.front().estimate ||
              (estimate == open_.front().estimate && parent.level + 1 > open_.front().level))) {
            thrown_away_ = std::min(thrown_away_, estimate);
            return;
        }
        thrown_away_ = std::min(thrown_away_, open_.front().estimate);
        unused_.push_back(open_.front().slot);
        open_.erase(open_.begin());
    }
    State child{estimate, paid, parent.level + 1, born_++, 0};
    if (unused_.empty()) {
        child.slot = static_cast<std::int32_t>(pool_.size() / at(pair_.n));
        pool_.resize(pool_.size() + at(pair_.n));
    } else {
        child.slot = unused_.back();
        unused_.pop_back();
    }
    std::copy_n(images(parent.slot), parent.level, images(child.slot));
    images(child.slot)[parent.level] = static_cast<std::int16_t>(image);
    if (width_) {
        const auto place =
            std::upper_bound(open_.begin(), open_.end(), child, [](const State& a, const State& b) { return b < a; });
        open_.insert(place, child);
    } else {
        open_.push_back(child);
        std::push_heap(open_.begin(), open_.end(), [](const State& a, const State& b) { return b < a; });
    }
}

}  // namespace infmcs::ged
