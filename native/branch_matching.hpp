// The anchor-aware branch matching bound BMa (Chang, Feng, Yu, Qin and Ouyang, 2022), kept up to date down a search.
//
// Two unassigned nodes x, y cost at least, in half units,
//     c(x, y) = 2 [labels differ] + | inner(x) - inner(y) | + 2 |anchors(x) ^ anchors(y)|
// where inner counts edges to unassigned nodes, and anchors are the assigned nodes x is tied to (for y: those whose
// images it is tied to). An inserted y costs 2 + inner(y) + 2 |anchors(y)|. Half the cost of the cheapest assignment
// bounds what is still to be paid.
//
// Assigning u -> v raises c by 1 or 3 where exactly one of 'x is tied to u', 'y is tied to v' holds, and leaves the
// rest alone. So the duals of the parent stay feasible for the child, and only the rows whose own pair became dearer,
// or had v, look for a new partner. Duals also bound every single pair: see `least`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "bits.hpp"
#include "ideas.hpp"

namespace infmcs::ged {

// The small integers of one row, in vector registers.
template <class Number>
struct Lanes {
    static constexpr int width = 16 / sizeof(Number);
    typedef Number Block __attribute__((vector_size(16)));

    // All bits set where the number is in the set.
    template <std::size_t W>
    static Block spread(const Bits<W>& set, int block) {
        const auto word = set.words[W == 1 ? 0 : static_cast<std::size_t>(block * width / 64)];
        const auto here = static_cast<Number>((word >> (block * width % 64)) & ((Word{1} << width) - 1));
        Block powers;
        for (int i = 0; i < width; ++i) powers[i] = static_cast<Number>(1 << i);
        return (powers & here) != 0;
    }
};

template <std::size_t W>
class BranchMatching {
    using Number = std::conditional_t<W == 1, std::int16_t, std::int32_t>;
    using Row = Lanes<Number>;
    using Block = typename Row::Block;
    using Set = Bits<W>;

public:
    static constexpr Number never = W == 1 ? 8'192 : 1 << 24;  // the price of a pair that is ruled out

    // Memory for graphs of n <= m nodes; how many levels of a search it holds.
    int begin(int n, int m) {
        n_ = n;
        m_ = m;
        blocks_ = (m + Row::width - 1) / Row::width;
        const std::size_t level = static_cast<std::size_t>(blocks_) * (static_cast<std::size_t>(n) + 1 + 2) +
                                  2 * static_cast<std::size_t>((m + Row::width) / Row::width);
        constexpr std::size_t most = (std::size_t{64} << 20) / sizeof(Block);
        levels_ = std::min(n + 1, static_cast<int>(std::max<std::size_t>(1, most / level)));
        if (memory_.size() < level * static_cast<std::size_t>(levels_))
            memory_.resize(level * static_cast<std::size_t>(levels_));
        if (partners_.size() < 2 * at(m) * at(levels_)) partners_.resize(2 * at(m) * at(levels_));
        if (at(levels_) > frames_.size()) frames_.resize(at(levels_));
        for (int k = 0; k < levels_; ++k) {
            Block* memory = memory_.data() + level * static_cast<std::size_t>(k);
            const auto take = [&](int count) {
                Block* const here = memory;
                memory += count;
                return here;
            };
            Frame& f = frames_[at(k)];
            f.cost = take(blocks_ * (n + 1));
            f.column_dual = take(blocks_);
            f.inner_right = take(blocks_);
            f.row_dual = reinterpret_cast<Number*>(take((m + Row::width) / Row::width));
            f.inner_left = reinterpret_cast<Number*>(take((m + Row::width) / Row::width));
            f.column_of = partners_.data() + 2 * at(m) * at(k);
            f.row_of = f.column_of + m;
        }
        return levels_;
    }

    // The matrix with nothing assigned. relabel(u, v) says whether labels differ.
    template <class Relabel>
    void root(const Set* left_rows, const Set* right_rows, Relabel relabel) {
        Frame& f = frames_[0];
        Number* const inner_right = numbers(f.inner_right);
        std::fill_n(inner_right, blocks_ * Row::width, Number{0});
        std::fill_n(numbers(f.column_dual), blocks_ * Row::width, Number{0});
        for (int y = 0; y < m_; ++y) inner_right[y] = static_cast<Number>(right_rows[y].count());
        for (int x = 0; x <= n_; ++x) std::fill_n(numbers(row(f, x)), blocks_ * Row::width, never);
        for (int x = 0; x < n_; ++x) {
            const auto degree = static_cast<Number>(left_rows[x].count());
            f.inner_left[x] = degree;
            Number* const costs = numbers(row(f, x));
            for (int y = 0; y < m_; ++y)
                costs[y] = static_cast<Number>(2 * relabel(x, y) + std::abs(degree - inner_right[y]));
        }
        for (int y = 0; y < m_; ++y) numbers(row(f, n_))[y] = static_cast<Number>(2 + inner_right[y]);
        f.count = m_;
        f.rows.resize(at(m_));
        for (int x = 0; x < m_; ++x) {
            f.rows[at(x)] = x;
            f.row_dual[x] = 0;
            f.column_of[x] = -1;
            f.row_of[x] = -1;
        }
        f.total = 0;
    }

    // The matrix of the child that makes u -> v, with the parent's duals and what is left of its assignment.
    void child(int level, int u, int v, const Set& left_row, const Set& right_row) {
        const Frame& p = frames_[at(level)];
        Frame& f = frames_[at(level + 1)];
        std::copy_n(p.column_dual, blocks_, f.column_dual);
        std::copy_n(p.row_of, m_, f.row_of);
        f.total = p.total - p.row_dual[u] - numbers(p.column_dual)[v];
        f.count = 0;
        f.rows.resize(at(m_));
        const Block one = Block{} + 1, three = Block{} + 3;
        Block tied[at(64 * W / Row::width)];
        for (int b = 0; b < blocks_; ++b) {
            tied[b] = Row::spread(right_row, b);
            f.inner_right[b] = p.inner_right[b] + tied[b];  // -1 where tied
        }
        bool inserted = false;
        for (int i = 0; i < p.count; ++i) {
            const int x = p.rows[at(i)];
            if (x == u) continue;
            f.rows[at(f.count++)] = x;
            const Block* const from = row(p, x);
            Block* const to = row(f, x);
            if (x >= n_) {
                if (!inserted)
                    for (int b = 0; b < blocks_; ++b) to[b] = from[b] - tied[b];
                inserted = true;
            } else if (left_row.has(x)) {
                const Number inner = p.inner_left[x];
                f.inner_left[x] = static_cast<Number>(inner - 1);
                for (int b = 0; b < blocks_; ++b)
                    to[b] = from[b] + (~tied[b] & (inner > p.inner_right[b] ? one : three));
            } else {
                const Number inner = p.inner_left[x];
                f.inner_left[x] = inner;
                for (int b = 0; b < blocks_; ++b)
                    to[b] = from[b] + (tied[b] & (inner < p.inner_right[b] ? one : three));
            }
            numbers(to)[v] = never;
            f.row_dual[x] = p.row_dual[x];
            const int y = p.column_of[x];
            const bool kept = y >= 0 && y != v && numbers(to)[y] == numbers(from)[y];
            f.column_of[x] = static_cast<std::int16_t>(kept ? y : -1);
            if (y >= 0 && !kept) f.row_of[y] = -1;
        }
        const int other = p.column_of[u];
        if (other >= 0 && other != v) f.row_of[other] = -1;
        f.row_of[v] = -1;
        if (!uses(kept_duals)) forget(f);
    }

    // Completes the assignment, or stops as soon as its total reaches `enough`. True when it is complete.
    bool solve(int level, int enough) {
        Frame& f = frames_[at(level)];
        for (int i = 0; i < f.count; ++i) {
            if (f.total >= enough) return false;
            const int x = f.rows[at(i)];
            if (f.column_of[x] < 0 && !augment(f, x)) return false;
        }
        return f.total < enough;
    }

    int total(int level) const { return frames_[at(level)].total; }
    int column_of(int level, int x) const { return frames_[at(level)].column_of[x]; }

    // The total cannot be less if x goes to y.
    int least(int level, int x, int y) const {
        const Frame& f = frames_[at(level)];
        return f.total + numbers(row(f, x))[y] - f.row_dual[x] - numbers(f.column_dual)[y];
    }

    // Rules out every pair that would lift the total to `enough`; returns the row that keeps fewest.
    int narrow(int level, int enough) {
        Frame& f = frames_[at(level)];
        int fewest = m_ + 1, chosen = -1;
        for (int i = 0; i < f.count; ++i) {
            const int x = f.rows[at(i)];
            if (x >= n_) break;
            const auto room = static_cast<Number>(std::min<int>(enough - f.total + f.row_dual[x], never / 2));
            Block* const costs = row(f, x);
            Block kept{};
            for (int b = 0; b < blocks_; ++b) {
                const Block in = costs[b] - f.column_dual[b] < room;
                kept += in;
                if (uses(ruling_out)) costs[b] = in ? costs[b] : Block{} + never;
            }
            int count = 0;
            for (int k = 0; k < Row::width; ++k) count -= kept[k];
            if (count < fewest) fewest = count, chosen = x;
        }
        return chosen;
    }

    bool ruled_out(int level, int x, int y) const { return numbers(row(frames_[at(level)], x))[y] >= never / 2; }

private:
    struct Frame {
        Block* cost;  // a row for each left node, and one for all insertions
        Block *column_dual, *inner_right;
        Number *row_dual, *inner_left;
        std::int16_t *column_of, *row_of;
        std::vector<int> rows;  // left nodes without image, then n.. for insertions
        int count, total;
    };

    // Begins the assignment anew: what the search would do without keeping duals.
    void forget(Frame& f) {
        f.total = 0;
        std::fill_n(f.column_dual, blocks_, Block{});
        std::fill_n(f.row_of, m_, std::int16_t{-1});
        for (int i = 0; i < f.count; ++i) {
            f.row_dual[f.rows[at(i)]] = 0;
            f.column_of[f.rows[at(i)]] = -1;
        }
    }

    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static Number* numbers(Block* blocks) { return reinterpret_cast<Number*>(blocks); }
    static const Number* numbers(const Block* blocks) { return reinterpret_cast<const Number*>(blocks); }
    Block* row(const Frame& f, int x) const { return f.cost + std::min(x, n_) * blocks_; }

    // Dijkstra over reduced costs from a free row to the nearest free column; false when there is none.
    bool augment(Frame& f, int start) {
        const Block far = Block{} + static_cast<Number>(3 * (never / 2));
        for (int b = 0; b < blocks_; ++b) {
            distance_[at(b)] = far;
            done_[at(b)] = Block{};
        }
        int reached[64 * W];
        int finished = 0;
        int x = start, last;
        Number length = 0;
        for (;;) {
            const Block* const costs = row(f, x);
            const Block base = Block{} + static_cast<Number>(length - f.row_dual[x]);
            const Block self = Block{} + static_cast<Number>(x);
            Block least = far;
            for (int b = 0; b < blocks_; ++b) {
                const Block through = costs[b] - f.column_dual[b] + base;
                const Block closer = through < distance_[at(b)];  // never for a column that is done
                distance_[at(b)] = closer ? through : distance_[at(b)];
                from_[at(b)] = closer ? self : from_[at(b)];
                const Block waiting = done_[at(b)] ? far : distance_[at(b)];
                least = waiting < least ? waiting : least;
            }
            length = least[0];
            for (int k = 1; k < Row::width; ++k) length = std::min(length, least[k]);
            if (length >= never / 2) return false;
            int y = 0;
            while (numbers(distance_.data())[y] != length || numbers(done_.data())[y]) ++y;
            if (f.row_of[y] < 0) {
                last = y;
                break;
            }
            numbers(done_.data())[y] = -1;
            reached[finished++] = y;
            x = f.row_of[y];
        }
        const Number* const distance = numbers(distance_.data());
        const Number* const from = numbers(from_.data());
        f.row_dual[start] = static_cast<Number>(f.row_dual[start] + length);
        for (int k = 0; k < finished; ++k) {
            const int y = reached[k];
            const auto by = static_cast<Number>(length - distance[y]);
            f.row_dual[f.row_of[y]] = static_cast<Number>(f.row_dual[f.row_of[y]] + by);
            numbers(f.column_dual)[y] = static_cast<Number>(numbers(f.column_dual)[y] - by);
        }
        for (int y = last; y >= 0;) {
            const int i = from[y], next = f.column_of[i];
            f.row_of[y] = static_cast<std::int16_t>(i);
            f.column_of[i] = static_cast<std::int16_t>(y);
            y = next;
        }
        f.total += length;
        return true;
    }

    int n_ = 0, m_ = 0, blocks_ = 0, levels_ = 0;
    std::vector<Frame> frames_;
    std::vector<Block> memory_;
    std::vector<std::int16_t> partners_;
    std::array<Block, at(64 * W / Row::width)> distance_, from_, done_;
};

}  // namespace infmcs::ged
