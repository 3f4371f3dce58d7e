// The square assignment problem after Jonker and Volgenant (1987): column reduction, reduction transfer, augmenting
// row reduction, and shortest augmenting paths for the rows that are still free.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace infmcs::ged {

class VolgenantJonker {
public:
    std::vector<int> column_of;

    // cost[i * size + j]
    void solve(int size, const double* cost) {
        size_ = size;
        cost_ = cost;
        column_of.assign(at(size), -1);
        row_of_.assign(at(size), -1);
        dual_.assign(at(size), 0);
        free_.clear();
        reduce_columns();
        for (int pass = 0; pass < 2 && !free_.empty(); ++pass) reduce_rows();
        for (const int row : free_) augment(row);
    }

private:
    static constexpr double far = std::numeric_limits<double>::infinity();
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    double reduced(int i, int j) const { return cost_[i * size_ + j] - dual_[at(j)]; }

    void reduce_columns() {
        matches_.assign(at(size_), 0);
        for (int j = size_ - 1; j >= 0; --j) {
            int best = 0;
            for (int i = 1; i < size_; ++i)
                if (cost_[i * size_ + j] < cost_[best * size_ + j]) best = i;
            dual_[at(j)] = cost_[best * size_ + j];
            if (matches_[at(best)]++ == 0) {
                column_of[at(best)] = j;
                row_of_[at(j)] = best;
            }
        }
        for (int i = 0; i < size_; ++i) {
            if (matches_[at(i)] == 0) free_.push_back(i);
            if (matches_[at(i)] != 1) continue;
            double least = far;
            for (int j = 0; j < size_; ++j)
                if (j != column_of[at(i)] && reduced(i, j) < least) least = reduced(i, j);
            if (least < far) dual_[at(column_of[at(i)])] -= least;
        }
    }

    void reduce_rows() {
        waiting_.swap(free_);
        free_.clear();
        int patience = 4 * size_;  // rounding could make two rows drive each other out for ever
        while (!waiting_.empty()) {
            const int i = waiting_.back();
            waiting_.pop_back();
            if (--patience < 0) {
                free_.push_back(i);
                continue;
            }
            int first = -1, second = -1;
            double least = far, next = far;
            for (int j = 0; j < size_; ++j) {
                const double here = reduced(i, j);
                if (here < least)
                    next = least, second = first, least = here, first = j;
                else if (here < next)
                    next = here, second = j;
            }
            const bool strict = least < next && next < far;
            if (strict)
                dual_[at(first)] -= next - least;
            else if (row_of_[at(first)] >= 0 && second >= 0)
                first = second;
            const int driven_out = row_of_[at(first)];
            column_of[at(i)] = first;
            row_of_[at(first)] = i;
            if (driven_out < 0) continue;
            column_of[at(driven_out)] = -1;
            (strict ? waiting_ : free_).push_back(driven_out);
        }
    }

    void augment(int start) {
        distance_.resize(at(size_));
        from_.assign(at(size_), start);
        done_.assign(at(size_), 0);
        reached_.clear();
        for (int j = 0; j < size_; ++j) distance_[at(j)] = reduced(start, j);
        int last = -1;
        double length = 0;
        for (;;) {
            int nearest = -1;
            for (int j = 0; j < size_; ++j)
                if (!done_[at(j)] && (nearest < 0 || distance_[at(j)] < distance_[at(nearest)])) nearest = j;
            length = distance_[at(nearest)];
            if (row_of_[at(nearest)] < 0) {
                last = nearest;
                break;
            }
            done_[at(nearest)] = 1;
            reached_.push_back(nearest);
            const int row = row_of_[at(nearest)];
            const double base = length - reduced(row, nearest);
            for (int j = 0; j < size_; ++j) {
                if (done_[at(j)]) continue;
                const double through = base + reduced(row, j);
                if (through < distance_[at(j)]) distance_[at(j)] = through, from_[at(j)] = row;
            }
        }
        for (const int j : reached_) dual_[at(j)] += distance_[at(j)] - length;
        for (int row = -1; row != start;) {
            row = from_[at(last)];
            row_of_[at(last)] = row;
            const int next = column_of[at(row)];
            column_of[at(row)] = last;
            last = next;
        }
    }

    int size_ = 0;
    const double* cost_ = nullptr;
    std::vector<double> dual_, distance_;
    std::vector<int> row_of_, matches_, free_, waiting_, from_, reached_;
    std::vector<char> done_;
};

}  // namespace infmcs::ged
