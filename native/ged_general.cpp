#include "ged_general.hpp"

#include <algorithm>
#include <cstddef>

#include "branch_costs.hpp"
#include "open_assignment.hpp"

namespace infmcs::ged {

std::vector<std::int32_t> own_numbers(const Costed& left, const Costed& right, const std::vector<int>& images) {
    std::vector<std::int32_t> own(static_cast<std::size_t>(left.size), -1);
    for (std::size_t u = 0; u < own.size(); ++u)
        if (images[u] >= 0)
            own[static_cast<std::size_t>(left.number[u])] = right.number[static_cast<std::size_t>(images[u])];
    return own;
}

// A state has placed some left nodes: on a right node, or on none. For the rest, branch matching: x -> y costs at
// least its node price, its edges to placed nodes in full, and half of the cheapest matching of its other edges
// (Riesen and Bunke 2009 with halved edges: Zheng et al. 2015; anchored: Chang et al. 2022). Its assignment is a lower
// bound of all completions, its duals bound every single one of them, and its mapping is an upper bound.
struct GeneralSolver::Search {
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    Finding run(const Costed& left, const Costed& right, const Prices& prices, const Wish& wish) {
        pair_.load(left, right, prices);
        edges_.use(prices);
        Meter meter(wish.budget, wish.interrupted);
        meter_ = &meter;
        precision_ = Precision(prices.whole);
        below_ = wish.below;
        if (frames_.size() < at(pair_.n) + 1) frames_.resize(at(pair_.n) + 1);
        images_.assign(at(pair_.n), -1);
        begin();
        Frame& root = frames_[0];
        const double bound = precision_.sharp(solve(root));
        take_matching(root);
        pair_.descend(images_.data());
        best_ = pair_.cost(images_.data());
        best_images_ = images_;
        enough_ = below_ >= 0 && best_ <= below_ + 1e-9 * (1 + below_);
        limit_ = below_ >= 0 ? std::min(best_, precision_.beyond(below_)) : best_;
        open_ = limit_;
        if (!precision_.closed(bound, limit_) && !enough_) expand(0);
        Finding found;
        found.upper = std::max(best_, 0.0);  // sums of real prices may be a hair off
        // What was not explored costs at least open_; what was cut costs at least limit_, up to rounding.
        found.lower = std::max(bound, precision_.sharp(std::min({best_, enough_ ? bound : limit_, open_})));
        found.lower = std::min(std::max(found.lower, 0.0), found.upper);
        found.visited = meter.visited();
        found.interrupted = meter.was_interrupted();
        found.images = own_numbers(left, right, best_images_);
        return found;
    }

private:
    struct Frame {
        std::vector<int> rows, columns;    // nodes not placed, not used
        std::vector<double> cost, halves;  // of row and column; halves is the share of edges not yet placed
        std::vector<double> remove, insert;
        OpenAssignment matching;
        double paid = 0;
    };
    struct Child {
        double bound;
        int column;  // of the frame; -1: deleted
    };

    void begin() {
        const int n = pair_.n, m = pair_.m;
        const Prices& prices = *pair_.prices;
        left_counts_.clear(n, prices.edge_kinds);
        right_counts_.clear(m, prices.edge_kinds);
        Frame& f = frames_[0];
        f.rows.resize(at(n));
        f.columns.resize(at(m));
        f.remove = pair_.remove;
        f.insert = pair_.insert;
        f.remove.resize(at(n));
        f.insert.resize(at(m));
        for (int u = 0; u < n; ++u) {
            f.rows[at(u)] = u;
            pair_.each_tie(*pair_.left, u, [&](const Tie& tie) {
                left_counts_.add(u, tie, 1);
                f.remove[at(u)] += pair_.removal(tie) / 2;
            });
        }
        for (int v = 0; v < m; ++v) {
            f.columns[at(v)] = v;
            pair_.each_tie(*pair_.right, v, [&](const Tie& tie) {
                right_counts_.add(v, tie, 1);
                f.insert[at(v)] += pair_.insertion(tie) / 2;
            });
        }
        f.paid = 0;
        f.cost.resize(at(n * m));
        f.halves.resize(at(n * m));
        for (int u = 0, k = 0; u < n; ++u)
            for (int v = 0; v < m; ++v, ++k) {
                f.halves[at(k)] = half(u, v);
                f.cost[at(k)] = pair_.keeping(u, v) + f.halves[at(k)];
            }
    }

    double half(int u, int v) { return edges_(left_counts_, u, right_counts_, v, pair_.directed) / 2; }

    // The bound of the frame's state.
    double solve(Frame& f) {
        return f.paid + f.matching.solve(static_cast<int>(f.rows.size()), static_cast<int>(f.columns.size()),
                                         f.cost.data(), f.remove.data(), f.insert.data());
    }

    void take_matching(const Frame& f) {
        for (std::size_t i = 0; i < f.rows.size(); ++i) {
            const int j = f.matching.column_of[i];
            images_[at(f.rows[i])] = j < 0 ? -1 : f.columns[at(j)];
        }
    }

    // The state in which row i goes to column j, or to none. Counts of edges must already be without both.
    void child(const Frame& p, int i, int j, Frame& f) {
        const int u = p.rows[at(i)], v = j < 0 ? -1 : p.columns[at(j)];
        const int wide = static_cast<int>(p.columns.size());
        f.paid = p.paid + (j < 0 ? p.remove[at(i)] : p.cost[at(i * wide + j)] - p.halves[at(i * wide + j)]);
        f.rows.clear();
        f.columns.clear();
        f.cost.clear();
        f.halves.clear();
        f.remove.clear();
        f.insert.clear();
        for (int b = 0; b < wide; ++b) {
            if (b == j) continue;
            const int y = p.columns[at(b)];
            f.columns.push_back(y);
            f.insert.push_back(p.insert[at(b)] + (v < 0 ? 0 : inserted(v, y) / 2));
        }
        if (j < 0) f.paid -= still_open(u) / 2;
        for (int a = 0; a < static_cast<int>(p.rows.size()); ++a) {
            if (a == i) continue;
            const int x = p.rows[at(a)];
            f.rows.push_back(x);
            f.remove.push_back(p.remove[at(a)] + pair_.between(u, x, -1, -1) / 2);
            const bool tied = adjacent(pair_.here, u, x, pair_.n);
            for (int b = 0; b < wide; ++b) {
                if (b == j) continue;
                const int y = p.columns[at(b)];
                double share = p.halves[at(a * wide + b)], cost = p.cost[at(a * wide + b)];
                const bool image_tied = v >= 0 && adjacent(pair_.there, v, y, pair_.m);
                if (tied || image_tied) {
                    cost -= share;
                    share = half(x, y);
                    cost += share + pair_.between(u, x, v, y);
                }
                f.cost.push_back(cost);
                f.halves.push_back(share);
            }
        }
    }

    bool adjacent(const std::vector<std::uint16_t>& kinds, int u, int v, int size) const {
        return kinds[at(u * size + v)] || (pair_.directed && kinds[at(v * size + u)]);
    }
    double inserted(int v, int y) const {
        double price = pair_.prices->of_edge(0, pair_.there[at(v * pair_.m + y)]);
        if (pair_.directed) price += pair_.prices->of_edge(0, pair_.there[at(y * pair_.m + v)]);
        return price;
    }
    // Deleting u was reckoned with half its edges to nodes not placed; those nodes will pay them in full.
    double still_open(int u) const {
        double sum = 0;
        pair_.each_tie(*pair_.left, u, [&](const Tie& tie) { sum += waiting_[at(tie.to)] ? pair_.removal(tie) : 0; });
        return sum;
    }

    // Counts edges to nodes not placed only: u, and v if there is one, leave them (by = -1) or come back (1).
    void shift(int u, int v, int by) {
        pair_.each_tie(*pair_.left, u, [&](const Tie& tie) { left_counts_.add(tie.to, turned(tie), by); });
        if (v >= 0)
            pair_.each_tie(*pair_.right, v, [&](const Tie& tie) { right_counts_.add(tie.to, turned(tie), by); });
    }
    Tie turned(const Tie& tie) const { return pair_.directed ? Tie{tie.to, tie.in, tie.out} : tie; }

    void expand(int level) {
        Frame& f = frames_[at(level)];
        const double bound = f.paid + f.matching.total();
        if (meter_->spent()) {
            open_ = std::min(open_, bound);
            return;
        }
        const int rows = static_cast<int>(f.rows.size()), columns = static_cast<int>(f.columns.size());
        if (rows == 0) return;  // its matching was the whole truth, and has been taken
        used_.assign(at(pair_.m), 1);
        for (const int v : f.columns) used_[at(v)] = 0;
        int chosen = 0, fewest = columns + 2;
        for (int i = 0; i < rows; ++i) {
            int count = !precision_.closed(bound + f.matching.excess_without(i), limit_);
            for (int j = 0; j < columns; ++j) count += !precision_.closed(bound + f.matching.excess(i, j), limit_);
            if (count < fewest) fewest = count, chosen = i;
        }
        std::vector<Child> children;
        if (const double least = bound + f.matching.excess_without(chosen); !precision_.closed(least, limit_))
            children.push_back({least, -1});
        for (int j = 0; j < columns; ++j) {
            const double least = bound + f.matching.excess(chosen, j);
            if (!precision_.closed(least, limit_) && !has_free_twin(f.columns[at(j)])) children.push_back({least, j});
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.bound < b.bound; });
        for (const Child& next : children) {
            if (precision_.closed(next.bound, limit_)) break;
            if (enough_ || meter_->stopped()) {
                open_ = std::min(open_, next.bound);
                break;
            }
            go(level, chosen, next);
        }
    }

    void go(int level, int i, const Child& next) {
        Frame& f = frames_[at(level)];
        const int u = f.rows[at(i)], v = next.column < 0 ? -1 : f.columns[at(next.column)];
        images_[at(u)] = v;
        shift(u, v, -1);
        waiting_.assign(at(pair_.n), 0);
        for (const int x : f.rows) waiting_[at(x)] = x != u;
        Frame& g = frames_[at(level) + 1];
        child(f, i, next.column, g);
        const double bound = solve(g);
        if (!precision_.closed(bound, limit_)) {
            take_matching(g);
            if (const double whole = pair_.cost(images_.data()); whole < limit_) improve(whole);
            if (!precision_.closed(bound, limit_)) {
                if (enough_)
                    open_ = std::min(open_, bound);
                else
                    expand(level + 1);
            }
        }
        shift(u, v, 1);
    }

    void improve(double cost) {
        best_ = limit_ = cost;
        best_images_ = images_;
        if (below_ >= 0 && best_ <= below_ + 1e-9 * (1 + below_)) enough_ = true;
    }

    bool has_free_twin(int v) const {
        const Costed& right = *pair_.right;
        for (int k = right.first_twin[at(v)]; k < right.first_twin[at(v) + 1]; ++k)
            if (!used_[at(right.twins[at(k)])]) return true;
        return false;
    }

    Pair pair_;
    EdgeMatching edges_;
    Counts left_counts_, right_counts_;  // of edges to nodes not placed, not used
    std::vector<Frame> frames_;
    std::vector<int> images_, best_images_;
    std::vector<char> used_, waiting_;
    Precision precision_{false};
    double best_ = 0, limit_ = 0, open_ = 0, below_ = -1;
    bool enough_ = false;
    Meter* meter_ = nullptr;
};

GeneralSolver::GeneralSolver() : search_(std::make_unique<Search>()) {}
GeneralSolver::~GeneralSolver() = default;
GeneralSolver::GeneralSolver(GeneralSolver&&) noexcept = default;

Finding GeneralSolver::distance(const Costed& left, const Costed& right, const Prices& prices, const Wish& wish) {
    return search_->run(left, right, prices, wish);
}

}  // namespace infmcs::ged
