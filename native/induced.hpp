// The largest common induced subgraph: McSplit (McCreesh, Prosser, Trimble 2017) on machine words.
//
// The state is a list of classes (L, R): the unmatched nodes of both graphs that look alike from the matched part, so
// that any node of L may be matched with any node of R. A class can give min(|L|, |R|) pairs at most, and the sum over
// classes bounds what a state can still become. Classes live in a table made before the search, a level a depth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "guide.hpp"
#include "mcs.hpp"

namespace infmcs::mcs {

// Kinds: several kinds of adjacency occur (edge labels, directions); without, a node is adjacent or not.
template <std::size_t Words, bool Kinds, bool Connected>
class InducedSearch {
    using Set = Bits<Words>;

    struct Class {
        Set left, right;
        int most() const { return std::min(left.count(), right.count()); }
        int larger() const { return std::max(left.count(), right.count()); }
    };

    // The classes of one state. Connected: those that touch the matched part stand at the front, the others at the
    // back of the same stretch of the table; else all stand at the front.
    struct Level {
        Class* table;
        int capacity;
        int front = 0, back = 0;
        int ours = 0, theirs = 0;  // nodes of all classes

        Class* first_back() { return table + capacity - back; }
        void add_front(const Set& left, const Set& right) { table[front++] = {left, right}; }
        void add_back(const Set& left, const Set& right) { table[capacity - ++back] = {left, right}; }
        void count(int left, int right) {
            ours += left;
            theirs += right;
        }
    };

public:
    // Tables for the largest graphs met so far; only this allocates.
    void reserve() {
        const auto size = static_cast<std::size_t>(left.size());
        if (size <= room_) return;
        room_ = size;
        // A state at depth d has at most size - d classes, so this holds one state of each depth.
        table_ = std::make_unique_for_overwrite<Class[]>(size * (size + 1) / 2 + 1);
        current_.resize(size + 1);
        best_.resize(size + 1);
    }

    Side<Words> left, right;  // the smaller graph is on the left

    // `incumbent`: only larger mappings are looked for.
    void run(int incumbent, const float* guide, bool guide_is_transposed, Meter& meter, Reductions reductions = {}) {
        meter_ = &meter;
        use_ = reductions;
        guide_.follow(guide, guide_is_transposed);
        size_ = beat_ = incumbent;
        found_ = false;
        open_ = root_bound_ = 0;
        const Level level = root(root_bound_);
        if (root_bound_ <= size_) return;
        meter.pause_after(use_.patience);
        const bool finished = expand(0, level, root_bound_);
        meter.go_on();
        if (!finished && !meter.stopped()) from_above();
    }

    // Every mapping of `wanted` pairs, which no mapping exceeds, once each, until the tally has enough or the meter
    // stops. Twins are told apart here: each of them makes a mapping of its own.
    template <class Tally>
    bool each(int wanted, Tally& tally, Meter& meter) {
        meter_ = &meter;
        wanted_ = wanted;
        if (wanted == 0) return tally.add({});
        int bound = 0;
        const Level level = root(bound);
        return bound < wanted || list(0, level, bound, tally);
    }

    // A common subgraph without a search: from each of the first left nodes on, always the partner that leaves most
    // to hope for.
    void dive(Meter& meter) {
        meter_ = &meter;
        size_ = 0;
        found_ = false;
        root_bound_ = 0;
        root(root_bound_);
        open_ = root_bound_;
        for (int v = 0; v < std::min(left.size(), most_dives) && size_ < root_bound_; ++v) {
            int bound = 0;
            dive_from(v, root(bound));
        }
    }

    int size() const { return size_; }
    bool found() const { return found_; }  // larger than the incumbent that run() was given
    std::span<const Pair> mapping() const { return {best_.data(), static_cast<std::size_t>(size_)}; }
    // No common subgraph is larger.
    int upper() const { return std::min(std::max(size_, open_), root_bound_); }

private:
    // A search that takes long mostly does so for want of a good incumbent. So none is waited for: is there a mapping
    // of as many pairs as the bound, else of one less, and so on? A "no" takes a fraction of the time of the next one
    // and lowers the bound; the first "yes" is the answer. After a "no" the search from below has half its time again,
    // for a good answer should the budget end first, and because the bound need only come down to the incumbent.
    void from_above() {
        while (root_bound_ > size_) {
            const std::int64_t before = meter_->visited();
            if (!above(root_bound_ - 1)) return stay_open();
            if (root_bound_ == size_) break;
            --root_bound_;
            meter_->pause_after((meter_->visited() - before) / 2);
            const bool finished = above(size_);
            meter_->go_on();
            if (finished) break;
            if (meter_->stopped()) return stay_open();
        }
        open_ = 0;
    }

    bool above(int pairs) {
        beat_ = pairs;
        int bound = 0;
        const Level level = root(bound);
        return expand(0, level, bound);
    }

    void stay_open() { open_ = root_bound_; }

    // The classes before anything is matched, and what they bound.
    Level root(int& bound) {
        Level level{table_.get(), left.size()};
        const auto &ours = left.graph().classes, &theirs = right.graph().classes;
        for (std::size_t i = 0, j = 0; i < ours.size() && j < theirs.size();) {
            if (ours[i] == theirs[j]) {
                const Class one{left.class_row(i++), right.class_row(j++)};
                const int a = one.left.count(), b = one.right.count();
                bound += std::min(a, b);
                level.count(a, b);
                Connected ? level.add_back(one.left, one.right) : level.add_front(one.left, one.right);
            } else {
                ours[i] < theirs[j] ? ++i : ++j;
            }
        }
        return level;
    }

    // All ways to go on from a state of `depth` pairs that can become `bound` at most. False when the meter stopped.
    bool expand(int depth, Level level, int bound) {
        for (;;) {
            if (Connected && depth == 0 && use_.reach) {
                bound = in_large_pieces(level, bound);
                if (bound <= beat_) return true;
            }
            Class* const branch = choose(depth, level);
            if (!branch) return true;
            Set partners = branch->right;
            const int v = guide_.left(branch->left, branch->right);
            const Both before = Connected && depth && level.back && use_.reach ? all_nodes(level) : Both{};
            while (partners.any()) {
                if (meter_->spent()) return stop(bound);
                const int w = guide_.right(v, partners);
                partners.remove(w);
                if (use_.right_twins) partners = partners.without(right.twins(w));  // they would fail as w does
                current_[static_cast<std::size_t>(depth)] = {v, w};
                if (depth + 1 > beat_) keep(depth + 1);
                Level child{level.table + level.capacity, level.capacity - 1};
                int most = depth + 1 + split(level, v, w, child);
                // Where only v and w are gone, all that they joined still hangs on them.
                const bool lost = depth == 0 || child.ours < level.ours - 1 || child.theirs < level.theirs - 1;
                if (Connected && most > beat_ && child.back && lost && use_.reach)
                    most = depth + 1 + reachable(child, most - depth - 1, depth ? &before : nullptr);
                if (most > beat_ && !expand(depth + 1, child, most))
                    return stop(partners.any() ? bound : without(*branch, with_twins(v), bound));
                if (bound <= beat_) return true;
            }
            const Set gone = with_twins(v);
            bound = without(*branch, gone, bound);
            if (bound <= beat_) return true;
            leave(level, branch, gone);
            if (Connected && depth > 0 && level.back && use_.reach) {
                bound = depth + reachable(level, bound - depth, &before);
                if (bound <= beat_) return true;
            }
        }
    }

    // Nodes of both graphs.
    struct Both {
        Set ours = Set::none(), theirs = Set::none();
        void take_in(const Class* one, const Class* end) {
            for (; one != end; ++one) {
                ours |= one->left;
                theirs |= one->right;
            }
        }
        bool any() const { return ours.any() || theirs.any(); }
    };

    static Both near_nodes(Level& level) {
        Both near;
        near.take_in(level.table, level.table + level.front);
        return near;
    }
    static Both far_nodes(Level& level) {
        Both far;
        far.take_in(level.first_back(), level.table + level.capacity);
        return far;
    }
    static Both all_nodes(Level& level) {
        Both all = near_nodes(level);
        all.take_in(level.first_back(), level.table + level.capacity);
        return all;
    }

    // Connected: takes out what no path of unmatched nodes joins to the matched part any more. A node that has no
    // partner left, or is left unmatched, so costs all that hangs on it. Returns how many pairs the state can give,
    // when it could give `most` before. Of the nodes `before`, all could be reached; null: nothing was matched yet.
    int reachable(Level& level, int most, const Both* before) {
        const Both near = near_nodes(level);
        Both far = far_nodes(level), gone{};
        if (before)
            gone = {before->ours.without(near.ours).without(far.ours),
                    before->theirs.without(near.theirs).without(far.theirs)};
        for (bool cut = before; level.back; cut = true) {
            const Both lost{beyond_reach(left, cut, gone.ours, near.ours, far.ours),
                            beyond_reach(right, cut, gone.theirs, near.theirs, far.theirs)};
            if (!lost.any()) break;
            gone = take_out(level, lost, most);
            if (!gone.any()) break;
            far = far_nodes(level);
        }
        return most;
    }

    // Connected, with nothing matched yet: takes out the pieces that are not larger than what must be beaten.
    int in_large_pieces(Level& level, int most) {
        for (;;) {
            const Both all = far_nodes(level);
            const Both lost{small_pieces(left, all.ours), small_pieces(right, all.theirs)};
            if (!lost.any() || !take_out(level, lost, most).any()) return most;
        }
    }

    // Takes nodes out of the far classes and from `most` what they could give. Returns what so lost its last partner.
    Both take_out(Level& level, const Both& lost, int& most) {
        Both vanished;
        Class* const end = level.table + level.capacity;
        for (Class* one = level.first_back(); one != end; ++one) {
            int a = one->left.count(), b = one->right.count();
            most -= std::min(a, b);
            level.count(-a, -b);
            one->left = one->left.without(lost.ours);
            one->right = one->right.without(lost.theirs);
            a = one->left.count(), b = one->right.count();
            if (a && b) {
                most += std::min(a, b);
                level.count(a, b);
                continue;
            }
            vanished.take_in(one, one + 1);
            *one = *level.first_back();
            --level.back;
        }
        return vanished;
    }

    // Neighbours of these nodes, or as many as cover `wanted`.
    static Set around(const Side<Words>& side, Set nodes, const Set& wanted) {
        Set found = Set::none();
        while (nodes.any() && wanted.without(found).any()) {
            const int node = nodes.first();
            nodes.remove(node);
            found |= side.neighbours(node);
        }
        return found & wanted;
    }

    // Which of the far nodes no path through far nodes joins to the near ones. A path that is cut goes on from a
    // neighbour of a node that is gone: where those are reached, all are.
    static Set beyond_reach(const Side<Words>& side, bool cut, const Set& gone, Set near, Set far) {
        const bool few = cut && gone.count() <= near.count();
        Set doubtful = few ? around(side, gone, far) : far;
        for (; doubtful.any(); doubtful = doubtful.without(near)) {
            if (!near.any()) return far;
            near = around(side, near, far);
            far = far.without(near);
        }
        return Set::none();
    }

    Set small_pieces(const Side<Words>& side, Set nodes) const {
        Set small = Set::none();
        while (nodes.any()) {
            Set piece = Set::none();
            piece.add(nodes.first());
            for (Set rim = piece; rim.any(); piece |= rim) {
                nodes = nodes.without(rim);
                rim = around(side, rim, nodes);
            }
            if (piece.count() <= beat_) small |= piece;
        }
        return small;
    }

    static constexpr int most_dives = 16;

    void dive_from(int v, Level level) {
        Class* branch = nullptr;
        for (Class* one = level.table; one != level.table + level.capacity && !branch; ++one) {
            const bool used = one < level.table + level.front || one >= level.first_back();
            if (used && one->left.has(v)) branch = one;
        }
        for (int depth = 0; branch; v = branch ? branch->left.first() : v) {
            int best = -1, most = -1;
            Level child{};
            for (Set partners = branch->right; partners.any();) {
                const int w = partners.first();
                partners.remove(w);
                child = {level.table + level.capacity, level.capacity - 1};
                const int hope = split(level, v, w, child);
                if (hope > most) best = w, most = hope;
            }
            if (meter_->spent()) return;
            current_[static_cast<std::size_t>(depth++)] = {v, best};
            if (depth > size_) keep(depth);
            if (depth + most <= size_) return;
            child = {level.table + level.capacity, level.capacity - 1};
            split(level, v, best, child);
            level = child;
            branch = choose(depth, level);
        }
    }

    // The same without an incumbent: all mappings of wanted_ pairs below this state. False when told to stop.
    template <class Tally>
    bool list(int depth, Level level, int bound, Tally& tally) {
        const std::span<const Pair> mapping(current_.data(), static_cast<std::size_t>(wanted_));
        for (;;) {
            Class* const branch = choose(depth, level);
            if (!branch) return true;
            const int v = branch->left.first();
            for (Set partners = branch->right; partners.any();) {
                if (meter_->spent()) return false;
                const int w = partners.first();
                partners.remove(w);
                current_[static_cast<std::size_t>(depth)] = {v, w};
                const auto before = tally.count();
                bool on = true;
                if (depth + 1 == wanted_) {
                    on = tally.add(mapping);
                } else {
                    Level child{level.table + level.capacity, level.capacity - 1};
                    const int most = depth + 1 + split(level, v, w, child);
                    if (most >= wanted_) on = list(depth + 1, child, most, tally);
                }
                tally.matched(v, w, tally.count() - before);
                if (!on) return false;
            }
            Set gone = Set::none();
            gone.add(v);
            bound = without(*branch, gone, bound);
            if (bound < wanted_) return true;
            leave(level, branch, gone);
        }
    }

    // Splits every class into the nodes that v and w see alike. Returns how many pairs the child can still give.
    int split(const Level& level, int v, int w, Level& child) {
        int most = 0;
        const Class* const front_end = level.table + level.front;
        for (const Class* one = level.table; one != front_end; ++one) most += split_class<false>(*one, v, w, child);
        if constexpr (Connected) {
            const Class* const back_end = level.table + level.capacity;
            for (const Class* one = back_end - level.back; one != back_end; ++one)
                most += split_class<true>(*one, v, w, child);
        }
        return most;
    }

    template <bool Back>
    int split_class(const Class& one, int v, int w, Level& child) {
        int most = 0;
        if constexpr (Kinds) {
            int i = left.first_kind(v), j = right.first_kind(w);
            const int i_end = left.first_kind(v + 1), j_end = right.first_kind(w + 1);
            while (i < i_end && j < j_end) {
                if (left.kind(i) == right.kind(j))
                    most += add<false>(one.left & left.kind_row(i++), one.right & right.kind_row(j++), v, w, child);
                else
                    left.kind(i) < right.kind(j) ? ++i : ++j;
            }
        } else {
            most += add<false>(one.left & left.neighbours(v), one.right & right.neighbours(w), v, w, child);
        }
        return most +
               add<Back>(one.left.without(left.neighbours(v)), one.right.without(right.neighbours(w)), v, w, child);
    }

    template <bool Back>
    int add(Set ours, Set theirs, int v, int w, Level& child) {
        ours.remove(v);
        theirs.remove(w);
        const int a = ours.count(), b = theirs.count();
        if (!a || !b) return 0;
        child.count(a, b);
        Back ? child.add_back(ours, theirs) : child.add_front(ours, theirs);
        return std::min(a, b);
    }

    // The class to branch on: the one with fewest possibilities; null when none may be.
    Class* choose(int depth, Level& level) {
        const bool anywhere = Connected && depth == 0;
        Class* const begin = anywhere ? level.first_back() : level.table;
        Class* const end = anywhere ? level.table + level.capacity : level.table + level.front;
        Class* best = nullptr;
        int fewest = 0, smallest = 0;
        for (Class* one = begin; one != end; ++one) {
            const int many = one->larger(), node = one->left.first();
            if (!best || many < fewest || (many == fewest && node < smallest)) {
                best = one;
                fewest = many;
                smallest = node;
            }
        }
        return best;
    }

    // Nodes to give up together: where v finds no partner, a twin in its place would give the same again.
    Set with_twins(int v) const {
        Set gone = use_.left_twins ? left.twins(v) : Set::none();
        gone.add(v);
        return gone;
    }

    // The bound once these nodes of a class stay unmatched.
    static int without(const Class& branch, const Set& gone, int bound) {
        return bound - branch.most() + std::min(branch.left.without(gone).count(), branch.right.count());
    }

    void leave(Level& level, Class* branch, const Set& gone) {
        const int before = branch->left.count();
        branch->left = branch->left.without(gone);
        level.count(branch->left.count() - before, 0);
        if (branch->left.any()) return;
        level.count(0, -branch->right.count());
        if (branch < level.table + level.front) {
            *branch = level.table[--level.front];
        } else {
            *branch = *level.first_back();
            --level.back;
        }
    }

    void keep(int size) {
        std::copy_n(current_.begin(), size, best_.begin());
        size_ = size;
        found_ = true;
        beat_ = size < root_bound_ ? size : most_nodes;  // what nothing exceeds ends the search
    }

    bool stop(int bound) {
        open_ = std::max(open_, bound);
        return false;
    }

    std::unique_ptr<Class[]> table_;
    std::size_t room_ = 0;
    std::vector<Pair> current_, best_;
    Meter* meter_ = nullptr;
    Guide<Words> guide_{left, right};
    Reductions use_;
    bool found_ = false;
    int size_ = 0;        // pairs of the best mapping, or the incumbent
    int beat_ = 0;        // only mappings of more pairs are looked for
    int root_bound_ = 0;  // none has more
    int open_ = 0, wanted_ = 0;
};

}  // namespace infmcs::mcs
