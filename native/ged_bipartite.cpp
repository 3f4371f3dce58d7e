#include "ged_bipartite.hpp"

#include <algorithm>
#include <limits>

namespace infmcs::ged {

namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

// The prices of nodes with `share` of their edges.
void Bipartite::load(const Costed& left, const Costed& right, const Prices& prices, double share) {
    pair_.load(left, right, prices);
    edges_.use(prices);
    const int n = pair_.n, m = pair_.m;
    left_counts_.clear(n, prices.edge_kinds);
    right_counts_.clear(m, prices.edge_kinds);
    remove_.assign(pair_.remove.begin(), pair_.remove.begin() + n);
    insert_.assign(pair_.insert.begin(), pair_.insert.begin() + m);
    for (int u = 0; u < n; ++u)
        pair_.each_tie(left, u, [&](const Tie& tie) {
            left_counts_.add(u, tie, 1);
            remove_[at(u)] += share * pair_.removal(tie);
        });
    for (int v = 0; v < m; ++v)
        pair_.each_tie(right, v, [&](const Tie& tie) {
            right_counts_.add(v, tie, 1);
            insert_[at(v)] += share * pair_.insertion(tie);
        });
}

Finding Bipartite::shown(const std::vector<int>& columns, double lower) {
    images_.assign(columns.begin(), columns.begin() + pair_.n);
    for (int& v : images_)
        if (v >= pair_.m) v = -1;
    Finding found;
    found.upper = std::max(pair_.cost(images_.data()), 0.0);
    found.lower = std::min(std::max(Precision(pair_.prices->whole).sharp(lower), 0.0), found.upper);
    found.images = own_numbers(*pair_.left, *pair_.right, images_);
    return found;
}

Finding Bipartite::hungarian(const Costed& left, const Costed& right, const Prices& prices) {
    load(left, right, prices, 1);
    const int n = pair_.n, m = pair_.m;
    cost_.resize(at(n * m));
    for (int u = 0, k = 0; u < n; ++u)
        for (int v = 0; v < m; ++v, ++k)
            cost_[at(k)] = pair_.keeping(u, v) + edges_(left_counts_, u, right_counts_, v, pair_.directed);
    open_.solve(n, m, cost_.data(), remove_.data(), insert_.data());
    return shown(open_.column_of, 0);
}

Finding Bipartite::vj(const Costed& left, const Costed& right, const Prices& prices) {
    load(left, right, prices, 1);
    const int n = pair_.n, m = pair_.m;
    cost_.resize(at(n * m));
    bool keeping_is_best = true;  // then max(n, m) rows do; else all n + m of the classical matrix
    for (int u = 0, k = 0; u < n; ++u)
        for (int v = 0; v < m; ++v, ++k) {
            cost_[at(k)] = pair_.keeping(u, v) + edges_(left_counts_, u, right_counts_, v, pair_.directed);
            keeping_is_best = keeping_is_best && cost_[at(k)] <= remove_[at(u)] + insert_[at(v)];
        }
    const int size = keeping_is_best ? std::max(n, m) : n + m;
    square_.assign(at(size * size), 0);
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            double& here = square_[at(i * size + j)];
            if (i < n) here = j < m ? cost_[at(i * m + j)] : remove_[at(i)];
            if (i >= n && j < m) here = insert_[at(j)];
        }
    jonker_.solve(size, square_.data());
    return shown(jonker_.column_of, 0);
}

Finding Bipartite::branch(const Costed& left, const Costed& right, const Prices& prices, bool descent) {
    load(left, right, prices, .5);
    const int n = pair_.n, m = pair_.m;
    cost_.resize(at(n * m));
    for (int u = 0, k = 0; u < n; ++u)
        for (int v = 0; v < m; ++v, ++k)
            cost_[at(k)] = pair_.keeping(u, v) + edges_(left_counts_, u, right_counts_, v, pair_.directed) / 2;
    const double lower = open_.solve(n, m, cost_.data(), remove_.data(), insert_.data());
    if (descent) pair_.descend(open_.column_of.data());
    return shown(open_.column_of, lower);
}

// Every edge of one node takes its cheapest partner among the other's, or none; a kept edge counts half, because it is
// seen from both sides. Never less than the surplus of edges costs.
double Bipartite::hausdorff(const int* left, const int* right) const {
    const Prices& prices = *pair_.prices;
    const int kinds = prices.edge_kinds;
    constexpr double far = std::numeric_limits<double>::infinity();
    double sum = 0, least_removal = far, least_insertion = far;
    int a = 0, b = 0;
    for (int k = 1; k < kinds; ++k) {
        if (left[k]) {
            double best = prices.of_edge(k, 0);
            least_removal = std::min(least_removal, best);
            for (int l = 1; l < kinds; ++l)
                if (right[l]) best = std::min(best, prices.of_edge(k, l) / 2);
            sum += left[k] * best;
            a += left[k];
        }
        if (right[k]) {
            double best = prices.of_edge(0, k);
            least_insertion = std::min(least_insertion, best);
            for (int l = 1; l < kinds; ++l)
                if (left[l]) best = std::min(best, prices.of_edge(l, k) / 2);
            sum += right[k] * best;
            b += right[k];
        }
    }
    const double surplus = a > b ? (a - b) * least_removal : b > a ? (b - a) * least_insertion : 0;
    return std::max(sum, surplus);
}

Finding Bipartite::hed(const Costed& left, const Costed& right, const Prices& prices) {
    load(left, right, prices, .5);
    const int n = pair_.n, m = pair_.m;
    nearest_ = insert_;
    double sum = 0;
    for (int u = 0; u < n; ++u) {
        double best = remove_[at(u)];
        for (int v = 0; v < m; ++v) {
            double edges = hausdorff(left_counts_.out(u), right_counts_.out(v));
            if (pair_.directed) edges += hausdorff(left_counts_.in(u), right_counts_.in(v));
            const double half = (pair_.keeping(u, v) + edges / 2) / 2;
            best = std::min(best, half);
            nearest_[at(v)] = std::min(nearest_[at(v)], half);
        }
        sum += best;
    }
    for (int v = 0; v < m; ++v) sum += nearest_[at(v)];
    // Surplus nodes are deleted or inserted, whatever their partners.
    auto& prices_of_surplus = n > m ? pair_.remove : pair_.insert;
    const int size = std::max(n, m), surplus = size - std::min(n, m);
    double least = 0;
    std::partial_sort(prices_of_surplus.begin(), prices_of_surplus.begin() + surplus, prices_of_surplus.begin() + size);
    for (int i = 0; i < surplus; ++i) least += prices_of_surplus[at(i)];
    Finding found;
    found.lower = std::max(sum, least);
    found.upper = pair_.everything();
    found.images.assign(at(n), -1);
    return found;
}

}  // namespace infmcs::ged
