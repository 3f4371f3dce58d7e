// What a node with its edges costs when nothing but one node and one image is looked at.
#pragma once

#include <vector>

#include "edit_pair.hpp"
#include "open_assignment.hpp"

namespace infmcs::ged {

// How many edges of each kind lead from a node to nodes of a set, out and in.
class Counts {
public:
    void clear(int nodes, int kinds) {
        kinds_ = kinds;
        counts_.assign(static_cast<std::size_t>(2 * nodes * kinds), 0);
    }
    const int* out(int node) const { return counts_.data() + 2 * node * kinds_; }
    const int* in(int node) const { return out(node) + kinds_; }
    void add(int node, const Tie& tie, int by) {
        int* const here = counts_.data() + 2 * node * kinds_;
        here[tie.out] += tie.out ? by : 0;
        here[kinds_ + tie.in] += tie.in ? by : 0;
    }

private:
    int kinds_ = 1;
    std::vector<int> counts_;
};

// The cheapest way to turn the edges that one node has into those of another, each edge for itself.
class EdgeMatching {
public:
    void use(const Prices& prices) { prices_ = &prices; }

    double operator()(const Counts& left, int u, const Counts& right, int v, bool directed) {
        const double out = of_counts(left.out(u), right.out(v));
        return directed ? out + of_counts(left.in(u), right.in(v)) : out;
    }

    // The assignment of things of these kinds, each deleted, inserted or changed at the price of(a, b).
    template <class Price>
    double cheapest(const std::vector<int>& rows, const std::vector<int>& columns, Price of) {
        cost_.clear();
        remove_.clear();
        insert_.clear();
        for (const int a : rows) {
            remove_.push_back(of(a, 0));
            for (const int b : columns) cost_.push_back(of(a, b));
        }
        for (const int b : columns) insert_.push_back(of(0, b));
        return assignment_.solve(static_cast<int>(rows.size()), static_cast<int>(columns.size()), cost_.data(),
                                 remove_.data(), insert_.data());
    }

    // Edges given as how many there are of each kind.
    double of_counts(const int* left, const int* right) {
        const int kinds = prices_->edge_kinds;
        if (prices_->plain_edge) {
            int a = 0, b = 0, common = 0;
            for (int k = 1; k < kinds; ++k) {
                a += left[k];
                b += right[k];
                common += left[k] < right[k] ? left[k] : right[k];
            }
            return (*prices_->plain_edge)(a, b, common);
        }
        rows_.clear();
        columns_.clear();
        for (int k = 1; k < kinds; ++k) {
            rows_.insert(rows_.end(), static_cast<std::size_t>(left[k]), k);
            columns_.insert(columns_.end(), static_cast<std::size_t>(right[k]), k);
        }
        return cheapest(rows_, columns_, [&](int a, int b) { return prices_->of_edge(a, b); });
    }

private:
    const Prices* prices_ = nullptr;
    std::vector<int> rows_, columns_;
    std::vector<double> cost_, remove_, insert_;
    OpenAssignment assignment_;
};

}  // namespace infmcs::ged
