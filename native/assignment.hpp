// The linear sum assignment problem by shortest augmenting paths (Jonker and Volgenant 1987), with its duals.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace infmcs {

// Rows may be fewer than columns. After `solve`, column_of[row] is an optimal assignment, and the duals prove it:
// cost(i, j) - row_dual[i] - column_dual[j] >= 0, = 0 where assigned, and column_dual <= 0, = 0 where free.
template <class Number>
class Assignment {
public:
    std::vector<int> column_of, row_of;
    std::vector<Number> row_dual, column_dual;

    template <class Cost>
    Number solve(int rows, int columns, Cost cost) {
        constexpr Number far = std::numeric_limits<Number>::max() / 4;
        const auto m = at(columns);
        column_of.assign(at(rows), -1);
        row_of.assign(m, -1);
        row_dual.assign(at(rows), 0);
        column_dual.assign(m, 0);
        Number total = 0;
        for (int start = 0; start < rows; ++start) {
            // Dijkstra over reduced costs from the free row to the nearest free column.
            distance_.assign(m, far);
            from_.assign(m, -1);
            done_.assign(m, 0);
            int row = start, last = -1;
            Number length = 0;
            for (;;) {
                int nearest = -1;
                for (int j = 0; j < columns; ++j) {
                    if (done_[at(j)]) continue;
                    const Number through = length + cost(row, j) - row_dual[at(row)] - column_dual[at(j)];
                    if (through < distance_[at(j)]) {
                        distance_[at(j)] = through;
                        from_[at(j)] = row;
                    }
                    if (nearest < 0 || distance_[at(j)] < distance_[at(nearest)]) nearest = j;
                }
                length = distance_[at(nearest)];
                if (row_of[at(nearest)] < 0) {
                    last = nearest;
                    break;
                }
                done_[at(nearest)] = 1;
                row = row_of[at(nearest)];
            }
            row_dual[at(start)] += length;
            for (int j = 0; j < columns; ++j)
                if (done_[at(j)]) {
                    row_dual[at(row_of[at(j)])] += length - distance_[at(j)];
                    column_dual[at(j)] -= length - distance_[at(j)];
                }
            for (int j = last; j >= 0;) {
                const int i = from_[at(j)], next = column_of[at(i)];
                row_of[at(j)] = i;
                column_of[at(i)] = j;
                j = next;
            }
            total += length;
        }
        return total;
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    std::vector<Number> distance_;
    std::vector<int> from_;
    std::vector<char> done_;
};

}  // namespace infmcs
