// The largest common subgraph that need not be induced: as many common edges as possible (chemists' MCES), or as many
// nodes as common edges can hold together.
//
// The state is a partial mapping and, for each matched pair, the edges that still lead from it to unmatched nodes, in
// groups of one kind: label, direction, label of the far end. An edge of a group's left side can become common with
// any edge of its right side, so a group gives min(|left|, |right|) common edges at most; edges between unmatched
// nodes are bounded by their counts of each type. A step takes a left edge of the smallest group and tries all its
// partners; then that edge is given up: from there on it must not become common, for all that was tried already.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "guide.hpp"
#include "mcs.hpp"

namespace infmcs::mcs {

// CountEdges: else nodes are counted, and Connected must be asked for (without, edges play no part).
template <std::size_t Words, bool CountEdges, bool Connected>
class EdgeSearch {
    using Set = Bits<Words>;

    struct Group {
        Set left, right;
        int kind_row;  // where the left nodes come from, the given up ones included
    };
    struct Label {  // the nodes of one label
        Set left, right;
    };
    struct GivenUp {  // what a group had on its left before
        int group;
        Set left;
    };

public:
    Side<Words> left, right;

    // Room for the largest graphs met so far; only this allocates.
    void reserve() {
        const auto nodes = static_cast<std::size_t>(left.size());
        const auto kinds = static_cast<std::size_t>(left.first_kind(left.size()));
        std::size_t ends = 0;
        for (std::size_t i = 0; i < kinds; ++i)
            ends += static_cast<std::size_t>(left.kind_row(static_cast<int>(i)).count());
        fit(groups_, kinds);
        fit(given_up_, ends);
        fit(current_, nodes);
        fit(best_, nodes);
        fit(labels_, left.graph().classes.size());
        fit(left_types_, left.graph().types.size());
        fit(right_types_, right.graph().types.size());
        fit(ours_, left.graph().types.size());
        fit(theirs_, left.graph().types.size());
    }

    void run(int incumbent, const float* guide, bool guide_is_transposed, Meter& meter, Reductions reductions = {}) {
        use_ = reductions;
        guide_.follow(guide, guide_is_transposed);
        begin(meter);
        size_ = incumbent;
        if (root_bound_ > size_) start(0, 0);
    }

    // The meter ends this early: the first descents follow the smallest groups.
    void dive(Meter& meter) { run(0, nullptr, false, meter); }

    template <class Tally>
    bool each(int wanted, Tally& tally, Meter& meter) {
        begin(meter);
        wanted_ = wanted;
        if (wanted == 0) return tally.add({});
        return start<Tally>(0, 0, &tally);
    }

    int size() const { return size_; }
    bool found() const { return found_; }
    std::span<const Pair> mapping() const { return {best_.data(), static_cast<std::size_t>(best_nodes_)}; }
    int upper() const { return std::min(std::max(size_, open_), root_bound_); }

private:
    struct Nothing {};  // no tally: only the largest is wanted, and twins need not be told apart

    template <class T>
    static void fit(std::vector<T>& room, std::size_t size) {
        if (room.size() < size) room.resize(size);
    }

    void begin(Meter& meter) {
        meter_ = &meter;
        found_ = false;
        open_ = best_nodes_ = active_ = undo_ = 0;
        free_left_ = Set::below(left.size());
        free_right_ = Set::below(right.size());
        const PreparedGraph &a = left.graph(), &b = right.graph();
        label_count_ = 0;
        int nodes = 0;
        for (std::size_t i = 0, j = 0; i < a.classes.size() && j < b.classes.size();) {
            if (a.classes[i] == b.classes[j]) {
                const Label label{left.class_row(i++), right.class_row(j++)};
                nodes += std::min(label.left.count(), label.right.count());
                labels_[static_cast<std::size_t>(label_count_++)] = label;
            } else {
                a.classes[i] < b.classes[j] ? ++i : ++j;
            }
        }
        free_bound_ = 0;
        std::fill_n(left_types_.begin(), a.types.size(), -1);
        std::fill_n(right_types_.begin(), b.types.size(), -1);
        std::int32_t common = 0;
        for (std::size_t i = 0, j = 0; i < a.types.size() && j < b.types.size();) {
            if (a.types[i].key == b.types[j].key) {
                const auto at = static_cast<std::size_t>(common);
                left_types_[i] = right_types_[j] = common++;
                ours_[at] = a.types[i++].count;
                theirs_[at] = b.types[j++].count;
                free_bound_ += std::min(ours_[at], theirs_[at]);
            } else {
                a.types[i].key < b.types[j].key ? ++i : ++j;
            }
        }
        root_bound_ = CountEdges ? free_bound_ : std::min(nodes, 1 + free_bound_);
    }

    template <class Tally>
    bool hopeless(int bound) const {
        if constexpr (std::is_same_v<Tally, Nothing>) return bound <= size_;
        return bound < wanted_;
    }

    // A state without open groups: the next node to begin a component with.
    template <class Tally = Nothing>
    bool start(int depth, int gained, Tally* tally = nullptr) {
        const Set before = free_left_;
        Set gone = Set::none();
        int bound = 0;
        bool finished = true;
        for (;;) {
            bound = CountEdges ? gained + free_bound_ : root_bound_;
            if (hopeless<Tally>(bound)) break;
            const Label* best = nullptr;
            int fewest = 0, pairs = 0;
            for (int i = 0; i < label_count_; ++i) {
                const Label& label = labels_[static_cast<std::size_t>(i)];
                const int a = (label.left & free_left_).count(), b = (label.right & free_right_).count();
                if (!a || !b) continue;
                pairs += std::min(a, b);
                if (!best || std::max(a, b) < fewest) best = &label, fewest = std::max(a, b);
            }
            if (!best || (!CountEdges && hopeless<Tally>(pairs))) break;
            if constexpr (!CountEdges) bound = std::min(bound, pairs);
            Set partners = best->right & free_right_;
            const int v = guide_.left(best->left & free_left_, partners);
            while (partners.any() && finished) {
                if (meter_->spent()) {
                    finished = false;
                    break;
                }
                const int w = guide_.right(v, partners);
                partners.remove(w);
                if constexpr (std::is_same_v<Tally, Nothing>)
                    if (use_.right_twins) partners = partners.without(right.twins(w));
                finished = match(v, w, depth, gained, gained, tally);
                if (finished && hopeless<Tally>(bound)) break;
            }
            if (!finished) break;
            for (Set away = with_twins<Tally>(v) & free_left_; away.any();) {
                const int u = away.first();
                away.remove(u);
                free_left_.remove(u);
                count_left(u, -1);
                gone.add(u);
            }
        }
        while (gone.any()) {  // in any order: each counts its edges to what is free by then
            const int u = gone.first();
            gone.remove(u);
            count_left(u, 1);
            free_left_.add(u);
        }
        free_left_ = before;
        return finished || stop(bound);
    }

    // Matches v with w and goes on. `anchor`: common edges before this component began.
    template <class Tally>
    bool match(int v, int w, int depth, int gained, int anchor, Tally* tally) {
        const int before = gained;
        for (int i = 0; i < active_; ++i) {
            const Group& group = groups_[static_cast<std::size_t>(i)];
            if (!group.right.has(w)) continue;
            if (group.left.has(v))
                ++gained;
            else if (left.kind_row(group.kind_row).has(v))
                return true;  // an edge that was given up would be common
        }
        if (CountEdges && left.graph().loops[v] && left.graph().loops[v] == right.graph().loops[w]) ++gained;
        current_[static_cast<std::size_t>(depth)] = {v, w};
        const int value = CountEdges ? gained : depth + 1;
        if constexpr (std::is_same_v<Tally, Nothing>) {
            if (value > size_) keep(depth + 1, value);
        } else if (value == wanted_) {
            if (CountEdges && gained == before) return true;
            const auto done = tally->count();
            const bool on = tally->add({current_.data(), static_cast<std::size_t>(depth + 1)});
            tally->matched(v, w, tally->count() - done);
            return on;
        }
        free_left_.remove(v);
        free_right_.remove(w);
        count_left(v, -1);
        count_right(w, -1);
        const int groups = active_;
        int i = left.first_kind(v), j = right.first_kind(w);
        const int i_end = left.first_kind(v + 1), j_end = right.first_kind(w + 1);
        while (i < i_end && j < j_end) {
            if (left.kind(i) == right.kind(j)) {
                const Group group{left.kind_row(i) & free_left_, right.kind_row(j) & free_right_, i};
                if (group.left.any() && group.right.any()) groups_[static_cast<std::size_t>(active_++)] = group;
                ++i, ++j;
            } else {
                left.kind(i) < right.kind(j) ? ++i : ++j;
            }
        }
        std::int64_t done = 0;
        if constexpr (!std::is_same_v<Tally, Nothing>) done = tally->count();
        const bool finished = grow(depth + 1, gained, anchor, tally);
        if constexpr (!std::is_same_v<Tally, Nothing>) tally->matched(v, w, tally->count() - done);
        active_ = groups;
        count_left(v, 1);
        count_right(w, 1);
        free_left_.add(v);
        free_right_.add(w);
        return finished;
    }

    // All ways to go on along the open groups; when there are none left, with another component.
    template <class Tally>
    bool grow(int depth, int gained, int anchor, Tally* tally) {
        const int given_up = undo_;
        int bound = 0;
        bool finished = true;
        for (;;) {
            int branch = -1, fewest = 0, open = 0;
            Set ours = Set::none(), theirs = Set::none();
            for (int i = 0; i < active_; ++i) {
                const Group& group = groups_[static_cast<std::size_t>(i)];
                const Set here = group.left & free_left_, there = group.right & free_right_;
                const int a = here.count(), b = there.count();
                if (!a || !b) continue;
                open += std::min(a, b);
                if (branch < 0 || std::max(a, b) < fewest) branch = i, fewest = std::max(a, b);
                if constexpr (!CountEdges) {
                    ours |= here;
                    theirs |= there;
                }
            }
            bound = CountEdges ? gained + open + free_bound_ : depth + within_reach(ours, theirs);
            if (hopeless<Tally>(bound)) break;
            if (branch < 0) {
                // A component without an edge is no better than none.
                if (!Connected && gained > anchor) finished = start(depth, gained, tally);
                break;
            }
            Group& group = groups_[static_cast<std::size_t>(branch)];
            Set partners = group.right & free_right_;
            const int v = guide_.left(group.left & free_left_, partners);
            while (partners.any() && finished) {
                if (meter_->spent()) {
                    finished = false;
                    break;
                }
                const int w = guide_.right(v, partners);
                partners.remove(w);
                if constexpr (std::is_same_v<Tally, Nothing>)
                    if (use_.right_twins) partners = partners.without(right.twins(w));
                finished = match(v, w, depth, gained, anchor, tally);
                if (finished && hopeless<Tally>(bound)) break;
            }
            if (!finished || hopeless<Tally>(bound)) break;
            given_up_[static_cast<std::size_t>(undo_++)] = {branch, group.left};
            group.left = group.left.without(with_twins<Tally>(v));
        }
        while (undo_ > given_up) {
            const GivenUp& last = given_up_[static_cast<std::size_t>(--undo_)];
            groups_[static_cast<std::size_t>(last.group)].left = last.left;
        }
        return finished || stop(bound);
    }

    // How many pairs the nodes give that a path of unmatched nodes joins to the open groups.
    int within_reach(Set ours, Set theirs) const {
        spread(left, ours, free_left_);
        spread(right, theirs, free_right_);
        int pairs = 0;
        for (int i = 0; i < label_count_; ++i) {
            const Label& label = labels_[static_cast<std::size_t>(i)];
            pairs += std::min((label.left & ours).count(), (label.right & theirs).count());
        }
        return pairs;
    }

    static void spread(const Side<Words>& side, Set& reached, const Set& all) {
        for (Set fresh = reached; fresh.any();) {
            const int node = fresh.first();
            fresh.remove(node);
            const Set beyond = (side.neighbours(node) & all).without(reached);
            reached |= beyond;
            fresh |= beyond;
        }
    }

    // v enters (1) or leaves (-1) the unmatched nodes, without being one at the moment: the edges between those.
    void count_left(int v, int sign) { count(left, left_types_, ours_, theirs_, free_left_, v, sign); }
    void count_right(int w, int sign) { count(right, right_types_, theirs_, ours_, free_right_, w, sign); }

    void count(const Side<Words>& side, const std::vector<std::int32_t>& types, std::vector<std::int32_t>& here,
               const std::vector<std::int32_t>& there, const Set& free, int node, int sign) {
        if constexpr (CountEdges) {
            const PreparedGraph& graph = side.graph();
            const auto change = [&](std::int32_t local, int edges) {
                const std::int32_t type = types[static_cast<std::size_t>(local)];
                if (type < 0 || !edges) return;
                const auto at = static_cast<std::size_t>(type);
                free_bound_ -= std::min(here[at], there[at]);
                here[at] += sign * edges;
                free_bound_ += std::min(here[at], there[at]);
            };
            for (int i = side.first_kind(node); i < side.first_kind(node + 1); ++i)
                change(graph.kind_types[i], (side.kind_row(i) & free).count());
            if (graph.loop_types[node] >= 0) change(graph.loop_types[node], 1);
        }
    }

    template <class Tally>
    Set with_twins(int v) const {
        Set gone = Set::none();
        if constexpr (std::is_same_v<Tally, Nothing>)
            if (use_.left_twins) gone = left.twins(v);
        gone.add(v);
        return gone;
    }

    void keep(int nodes, int size) {
        std::copy_n(current_.begin(), nodes, best_.begin());
        best_nodes_ = nodes;
        size_ = size;
        found_ = true;
    }

    bool stop(int bound) {
        open_ = std::max(open_, bound);
        return false;
    }

    Guide<Words> guide_{left, right};
    Reductions use_;
    std::vector<Group> groups_;
    std::vector<GivenUp> given_up_;
    std::vector<Label> labels_;
    std::vector<Pair> current_, best_;
    std::vector<std::int32_t> left_types_, right_types_;  // a graph's types as those that both graphs have, or -1
    std::vector<std::int32_t> ours_, theirs_;             // edges between unmatched nodes, by type
    Set free_left_, free_right_;
    Meter* meter_ = nullptr;
    int label_count_ = 0, active_ = 0, undo_ = 0, best_nodes_ = 0;
    int free_bound_ = 0, root_bound_ = 0, size_ = 0, open_ = 0, wanted_ = 0;
    bool found_ = false;
};

}  // namespace infmcs::mcs
