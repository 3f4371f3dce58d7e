// Assignment where a row may stay without column, and a column without row, each at its own price: what is deleted,
// and what is inserted. The same optimum as the classical square matrix of n + m rows has, found in one of n rows.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace infmcs::ged {

// After `solve`, column_of[row] is -1 where the row stays without, and the duals prove the total: see `excess`.
class OpenAssignment {
public:
    std::vector<int> column_of, row_of;

    // cost[i * columns + j] joins row i to column j; by shortest augmenting paths.
    double solve(int rows, int columns, const double* cost, const double* remove, const double* insert) {
        rows_ = rows;
        columns_ = columns;
        cost_ = cost;
        remove_ = remove;
        insert_ = insert;
        column_of.assign(at(rows), -1);
        row_of.assign(at(columns), -1);
        row_dual_.assign(at(rows), 0);
        column_dual_.assign(at(columns), 0);
        total_ = 0;
        for (int j = 0; j < columns; ++j) {
            column_dual_[at(j)] = insert[j];
            total_ += insert[j];
        }
        distance_.resize(at(columns));
        from_.resize(at(columns));
        done_.resize(at(columns));
        for (int i = 0; i < rows; ++i) augment(i);
        return total_;
    }

    double total() const { return total_; }

    // The total rises by at least this much if row i goes to column j; if it stays without.
    double excess(int i, int j) const { return cost_[i * columns_ + j] - row_dual_[at(i)] - column_dual_[at(j)]; }
    double excess_without(int i) const { return remove_[i] - row_dual_[at(i)]; }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    // Dijkstra over reduced costs from a new row to the nearest way to end: a free column, or a row going without.
    void augment(int start) {
        constexpr double far = std::numeric_limits<double>::infinity();
        for (int j = 0; j < columns_; ++j) distance_[at(j)] = far, done_[at(j)] = 0;
        reached_.clear();
        double length = 0, going_without = far;
        int row = start, last = -1, quitter = -1;
        for (;;) {
            const double base = length - row_dual_[at(row)];
            if (const double here = base + remove_[row]; here < going_without) going_without = here, quitter = row;
            const double* const costs = cost_ + row * columns_;
            int nearest = -1;
            double least = far;
            for (int j = 0; j < columns_; ++j) {
                if (done_[at(j)]) continue;
                const double through = base + costs[j] - column_dual_[at(j)];
                if (through < distance_[at(j)]) distance_[at(j)] = through, from_[at(j)] = row;
                if (distance_[at(j)] < least) least = distance_[at(j)], nearest = j;
            }
            if (nearest < 0 || going_without <= least) {
                length = going_without;
                break;
            }
            length = least;
            if (row_of[at(nearest)] < 0) {
                last = nearest;
                break;
            }
            done_[at(nearest)] = 1;
            reached_.push_back(nearest);
            row = row_of[at(nearest)];
        }
        row_dual_[at(start)] += length;
        for (const int j : reached_) {
            row_dual_[at(row_of[at(j)])] += length - distance_[at(j)];
            column_dual_[at(j)] -= length - distance_[at(j)];
        }
        total_ += length;
        if (last < 0) {  // the quitter's column is what the path ends in
            last = column_of[at(quitter)];
            column_of[at(quitter)] = -1;
        }
        while (last >= 0) {
            const int i = from_[at(last)], next = column_of[at(i)];
            row_of[at(last)] = i;
            column_of[at(i)] = last;
            last = i == start ? -1 : next;
        }
    }

    int rows_ = 0, columns_ = 0;
    const double *cost_ = nullptr, *remove_ = nullptr, *insert_ = nullptr;
    double total_ = 0;
    std::vector<double> row_dual_, column_dual_, distance_;
    std::vector<int> from_, reached_;
    std::vector<char> done_;
};

}  // namespace infmcs::ged
