#include "search.hpp"

#include <algorithm>
#include <limits>

namespace infmcs::search {

namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();
constexpr int buckets = 1 << 12;  // of similarity; those of one bucket are taken in any order
// A hard pair waits until the easy ones have raised the bar: the search nodes of each turn. The first is for scouts
// only.
constexpr std::int64_t turns[] = {100, 2'000, 50'000, 1'000'000, std::numeric_limits<std::int64_t>::max()};
constexpr std::size_t scouted = 8'000;   // graphs of the best bounds among which scouts are looked for
constexpr std::size_t scouts_a_hit = 4;  // so many times as many scouts as are wanted

double similarity(std::int32_t common, std::int64_t total) {
    return total ? 2.0 * common / static_cast<double>(total) : 1.0;
}

// The least number of common nodes that gives this similarity, or more than it.
std::int32_t needed(double wanted, bool strictly, std::int64_t total) {
    if (total == 0 || wanted == nowhere) return 0;
    auto need = static_cast<std::int32_t>(wanted * static_cast<double>(total) / 2) - 1;
    need = std::max(need, 0);
    while (similarity(need, total) < wanted || (strictly && similarity(need, total) == wanted)) ++need;
    return need;
}

// What rows of counts say about the query and one graph after another.
class Bounds {
public:
    Bounds(const Query& query, std::span<const Shelf> shelves, const Terms& terms)
        : query_(query), shelves_(shelves), terms_(terms), reach_(reach_of(query.degrees)) {
        for (const auto count : query.counts) narrow_counts_.push_back(narrow(count));
        for (const auto count : query.stars) narrow_stars_.push_back(narrow(count));
    }

    // Of no label can more nodes be common than either graph has, and a connected subgraph has an edge less than nodes.
    std::int32_t quick(const Shelf& shelf, std::size_t i) const {
        std::int32_t most = std::min(query_.graph.size, shelf.size(i));
        if (!terms_.sight.node_labels) return most;
        most = std::min(
            most, overlap(shelf.counts, shelf.count_width, i, 0, shelf.label_width, query_.counts, narrow_counts_));
        return terms_.question.connected ? std::min(most, pairs(shelf, i) + 1) : most;
    }

    // The same lowered as long as so many common nodes would leave too few nodes outside to explain the differences.
    std::int32_t sharp(const Shelf& shelf, std::size_t i, std::int32_t most) {
        if (!terms_.question.induced || !terms_.sight.node_labels) return most;
        const std::int32_t common_edges = pairs(shelf, i);
        const std::int32_t common_stars =
            overlap(shelf.stars, shelf.star_width, i, 0, shelf.star_width, query_.stars, narrow_stars_);
        theirs_.assign(1, 0);
        for (std::size_t k = 0; k < shelf.degree_width; ++k)
            theirs_.push_back(theirs_.back() + shelf.degrees[i * shelf.degree_width + k]);
        std::int32_t edges = 0;
        for (std::size_t k = shelf.label_width; k < shelf.count_width; ++k)
            edges += shelf.counts[i * shelf.count_width + k];
        for (; most > 0; --most) {
            // Induced: an edge is not common only if one of its ends is outside.
            const std::int32_t lost = removed(reach_, query_.graph.size - most);
            const std::int32_t lost_there = removed(theirs_, shelf.size(i) - most);
            if (query_.edges - common_edges > lost || edges - common_edges > lost_there) continue;
            // A common node whose neighbours are all common sees the same in both graphs. The others each have an
            // edge that leads outside; a connected part needs most - 1 edges for itself.
            const std::int32_t here = touched(lost, query_.edges, most), there = touched(lost_there, edges, most);
            if (most - common_stars > here + there) continue;
            break;
        }
        return most;
    }

    // The share of labels, pairs and neighbourhoods that both have.
    float alike(const Shelf& shelf, std::size_t i) const {
        const std::int32_t both =
            overlap(shelf.counts, shelf.count_width, i, 0, shelf.count_width, query_.counts, narrow_counts_) +
            overlap(shelf.stars, shelf.star_width, i, 0, shelf.star_width, query_.stars, narrow_stars_);
        const std::int32_t all = 2 * (query_.graph.size + shelf.size(i)) + query_.edges + shelf.edge_count(i);
        return all ? 2.0f * static_cast<float>(both) / static_cast<float>(all) : 1.0f;
    }

private:
    static std::uint8_t narrow(std::int32_t count) { return static_cast<std::uint8_t>(std::min(count, 255)); }

    std::int32_t pairs(const Shelf& shelf, std::size_t i) const {
        return overlap(shelf.counts, shelf.count_width, i, shelf.label_width, shelf.count_width, query_.counts,
                       narrow_counts_);
    }

    std::int32_t touched(std::int32_t lost, std::int32_t edges, std::int32_t most) const {
        return terms_.question.connected ? std::min(lost, edges - most + 1) : lost;
    }

    // Sums of the largest degrees: at most so many edges go when so many nodes go.
    static std::vector<std::int32_t> reach_of(std::span<const std::int32_t> degrees) {
        std::vector<std::int32_t> sums(1, 0);
        for (const auto degree : degrees) sums.push_back(sums.back() + degree);
        return sums;
    }

    static std::int32_t removed(const std::vector<std::int32_t>& sums, std::int32_t nodes) {
        const auto known = static_cast<std::int32_t>(sums.size()) - 1;
        if (nodes <= known) return sums[static_cast<std::size_t>(nodes)];
        const auto last = static_cast<std::size_t>(known);
        return sums[last] + (nodes - known) * (sums[last] - sums[last - 1]);
    }

    const Query& query_;
    std::span<const Shelf> shelves_;
    const Terms& terms_;
    std::vector<std::int32_t> reach_, theirs_;  // sums of the largest degrees
    std::vector<std::uint8_t> narrow_counts_, narrow_stars_;
};

// The best so far, and how similar something left out may be. The same rules as index/best_first.py.
class Ranking {
public:
    Ranking(const Terms& terms, Outcome& out) : terms_(terms), out_(out) {}

    // The least similarity that as many graphs as are wanted are known to have, solved or not.
    double floor() const {
        return terms_.top >= 0 && static_cast<std::int64_t>(lows_.size()) >= terms_.top ? lows_.back().low : nowhere;
    }

    // This graph is at least so similar.
    void know(std::int64_t place, double low) {
        if (terms_.top < 0 || low <= floor()) return;
        const auto known = std::find_if(lows_.begin(), lows_.end(), [&](const Low& one) { return one.place == place; });
        if (known != lows_.end()) {
            if (low <= known->low) return;
            lows_.erase(known);
        }
        const auto at = std::find_if(lows_.begin(), lows_.end(), [&](const Low& one) { return one.low < low; });
        lows_.insert(at, {low, place});
        if (static_cast<std::int64_t>(lows_.size()) > terms_.top) lows_.pop_back();
    }

    // Whether something that may be this similar still matters.
    bool matters(double high) const {
        return high >= terms_.threshold && (terms_.ties ? high >= floor() : high > floor());
    }

    std::int32_t need(std::int64_t total) const {
        return floor() >= terms_.threshold ? needed(floor(), !terms_.ties, total)
                                           : needed(terms_.threshold, false, total);
    }

    void take(Hit hit) {
        know(hit.place, hit.low);
        if (hit.low < terms_.threshold && hit.high < terms_.threshold) return;
        const auto before = [](const Hit& a, const Hit& b) {
            return a.low > b.low || (a.low == b.low && a.place < b.place);
        };
        auto& best = out_.best;
        best.insert(std::upper_bound(best.begin(), best.end(), hit, before), std::move(hit));
        if (terms_.top < 0 || static_cast<std::int64_t>(best.size()) <= terms_.top) return;
        const Hit out = std::move(best.back());
        best.pop_back();
        leave(out.high);
        if (tied_at_ != floor()) out_.tied.clear();
        tied_at_ = floor();
        if (out.low == out.high && out.low == floor()) out_.tied.push_back(out.place);
    }

    void leave(double high) {
        if (high >= terms_.threshold) out_.beyond = std::max(out_.beyond, high);
    }

private:
    struct Low {
        double low;
        std::int64_t place;
    };
    const Terms& terms_;
    Outcome& out_;
    std::vector<Low> lows_;  // falling, at most as many as are wanted
    double tied_at_ = nowhere;
};

class Run {
public:
    Run(const Query& query, std::span<const Shelf> shelves, std::span<const Prepared* const> ready,
        std::span<const std::uint8_t> chosen, const Terms& terms, const Interrupted& interrupted)
        : query_(query),
          shelves_(shelves),
          ready_(ready),
          chosen_(chosen),
          terms_(terms),
          interrupted_(interrupted),
          bounds_(query, shelves, terms),
          ranking_(terms, out_),
          clock_(Budget{}) {
        clock_.start();  // a meter without a limit of seconds does not count them by itself
        starts_.push_back(0);
        for (const Shelf& shelf : shelves) starts_.push_back(starts_.back() + static_cast<std::int64_t>(shelf.count()));
    }

    Outcome go(std::span<const std::int64_t> first) {
        fill();
        for (const auto place : first)
            if (place >= 0 && place < starts_.back() && most_[static_cast<std::size_t>(place)] >= 0) pop(place, true);
        scout();
        for (int bucket = buckets - 1; bucket >= 0; --bucket) {
            if (heads_[static_cast<std::size_t>(bucket)] < 0) continue;
            const double ceiling = (bucket + 1) / static_cast<double>(buckets - 1);  // nothing in it is above
            if (spent_ || !ranking_.matters(ceiling)) {
                leave_all(bucket);
                break;
            }
            while (heads_[static_cast<std::size_t>(bucket)] >= 0) {
                const auto place = heads_[static_cast<std::size_t>(bucket)];
                heads_[static_cast<std::size_t>(bucket)] = next_[static_cast<std::size_t>(place)];
                if (most_[static_cast<std::size_t>(place)] >= 0) pop(place, false);
            }
        }
        for (std::size_t turn = 2; !waiting_.empty(); ++turn) solve_waiting(turn);
        return std::move(out_);
    }

private:
    std::size_t shelf_of(std::int64_t place) const {
        return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), place) - starts_.begin()) - 1;
    }
    std::int64_t total(std::int32_t size) const { return std::int64_t{query_.graph.size} + size; }

    // Every chosen graph into the bucket of its first bound.
    void fill() {
        const auto count = static_cast<std::size_t>(starts_.back());
        most_.assign(count, -1);
        next_.resize(count);
        heads_.assign(buckets, -1);
        for (std::size_t s = 0; s < shelves_.size(); ++s)
            for (std::size_t i = 0; i < shelves_[s].count(); ++i) {
                const std::int64_t place = starts_[s] + static_cast<std::int64_t>(i);
                if (!chosen_[static_cast<std::size_t>(place)]) continue;
                ++out_.graphs;
                put(place, bounds_.quick(shelves_[s], i), shelves_[s].size(i));
            }
    }

    // The first to be solved raise the bar for all others, so those go first that look most alike: each a little way,
    // because what a mapping shows counts before the pair is solved, then further those that are not.
    void scout() {
        if (terms_.top < 0) return;
        struct Scout {
            float alike;
            std::int64_t place;
        };
        std::vector<Scout> scouts;
        for (std::size_t bucket = buckets; bucket-- > 0 && scouts.size() < scouted;)
            for (auto place = heads_[bucket]; place >= 0; place = next_[static_cast<std::size_t>(place)]) {
                const std::size_t s = shelf_of(place);
                scouts.push_back({bounds_.alike(shelves_[s], static_cast<std::size_t>(place - starts_[s])), place});
            }
        const auto count = std::min(scouts.size(), scouts_a_hit * static_cast<std::size_t>(terms_.top));
        const auto end = scouts.begin() + static_cast<std::ptrdiff_t>(count);
        std::partial_sort(scouts.begin(), end, scouts.end(), [](const Scout& a, const Scout& b) {
            return a.alike > b.alike || (a.alike == b.alike && a.place < b.place);
        });
        for (auto scout = scouts.begin(); scout != end; ++scout)
            if (most_[static_cast<std::size_t>(scout->place)] >= 0) pop(scout->place, true, 0);
        solve_waiting(1);
    }

    void solve_waiting(std::size_t turn) {
        std::vector<Hit> now = std::move(waiting_);
        waiting_.clear();
        std::sort(now.begin(), now.end(), [](const Hit& a, const Hit& b) {
            return a.high > b.high || (a.high == b.high && a.place < b.place);
        });
        for (Hit& hit : now) {
            if (spent_)
                ranking_.take(std::move(hit));
            else
                solve(std::move(hit), turn, false);
        }
    }

    void put(std::int64_t place, std::int32_t most, std::int32_t size) {
        most_[static_cast<std::size_t>(place)] = most;
        const auto bucket = static_cast<std::size_t>(similarity(most, total(size)) * (buckets - 1));
        next_[static_cast<std::size_t>(place)] = heads_[bucket];
        heads_[bucket] = static_cast<std::int32_t>(place);
    }

    // One graph's turn: its bound is sharpened first, and if that lowers it, its turn is later.
    void pop(std::int64_t place, bool at_once, std::size_t turn = 1) {
        const std::size_t s = shelf_of(place);
        const auto i = static_cast<std::size_t>(place - starts_[s]);
        const Shelf& shelf = shelves_[s];
        std::int32_t& most = most_[static_cast<std::size_t>(place)];
        const std::int32_t size = shelf.size(i);
        double high = similarity(most, total(size));
        if (!ranking_.matters(high) || spent_) return done(most, high);
        ++out_.sharpened;
        const std::int32_t sharper = bounds_.sharp(shelf, i, most);
        if (sharper < most) {
            high = similarity(sharper, total(size));
            if (!ranking_.matters(high)) return done(most, high);
            if (!at_once) return put(place, sharper, size);
        }
        most = -1;
        if (size > most_nodes || query_.graph.size > most_nodes) return ranking_.take({place, 0, high, 0, sharper, {}});
        solve({place, 0, high, 0, sharper, {}}, turn, true);
    }

    void done(std::int32_t& most, double high) {
        ranking_.leave(high);
        most = -1;
    }

    void solve(Hit hit, std::size_t turn, bool fresh) {
        if (!ranking_.matters(hit.high)) return ranking_.take(std::move(hit));
        const std::size_t s = shelf_of(hit.place);
        const auto i = static_cast<std::size_t>(hit.place - starts_[s]);
        const std::int32_t size = shelves_[s].size(i);
        const double seconds = terms_.budget.seconds - clock_.seconds();
        const std::int64_t visits = terms_.budget.visits - out_.visited;
        // A search asks once in many nodes; of many short ones none would.
        if ((++calls_ & 63) == 0 && interrupted_()) out_.interrupted = true;
        if (visits <= 0 || seconds <= 0 || out_.interrupted) {
            spent_ = true;
            return ranking_.take(std::move(hit));
        }
        const PreparedGraph graph =
            ready_[s] ? (*ready_[s])[i] : reader_.take(shelves_[s], i, terms_.sight, terms_.directed);
        mcs::Wishes wishes;
        wishes.start = hit.mapping;
        wishes.start_size = hit.lower;
        wishes.above = std::max(0, ranking_.need(total(size)) - 1);
        Meter meter({std::min(visits, turns[std::min(turn, std::size(turns) - 1)]), seconds}, &interrupted_);
        const mcs::Found& found = searcher_.search(query_.graph, graph, terms_.question, wishes, meter);
        out_.visited += found.visited;
        if (fresh) ++out_.solved;
        if (found.interrupted) out_.interrupted = spent_ = true;
        hit.lower = found.lower;
        hit.upper = std::min(hit.upper, found.upper);
        hit.low = similarity(hit.lower, total(size));
        hit.high = similarity(hit.upper, total(size));
        hit.mapping = found.mapping;
        if (hit.lower < hit.upper && ranking_.matters(hit.high) && meter.stopped() && !spent_) {
            if (turn == 1) ++out_.postponed;
            ranking_.know(hit.place, hit.low);
            waiting_.push_back(std::move(hit));
        } else {
            ranking_.take(std::move(hit));
        }
    }

    // Nothing of this bucket, or of those below, will be looked at.
    void leave_all(int bucket) {
        for (; bucket >= 0; --bucket) {
            bool any = false;
            for (auto place = heads_[static_cast<std::size_t>(bucket)]; place >= 0;
                 place = next_[static_cast<std::size_t>(place)]) {
                const std::int32_t most = most_[static_cast<std::size_t>(place)];
                if (most < 0) continue;
                const std::size_t s = shelf_of(place);
                ranking_.leave(similarity(most, total(shelves_[s].size(static_cast<std::size_t>(place - starts_[s])))));
                any = true;
            }
            if (any) return;  // the others are lower
        }
    }

    const Query& query_;
    std::span<const Shelf> shelves_;
    std::span<const Prepared* const> ready_;
    std::span<const std::uint8_t> chosen_;
    const Terms& terms_;
    const Interrupted& interrupted_;
    Outcome out_;
    Bounds bounds_;
    Ranking ranking_;
    Meter clock_;
    mcs::Searcher searcher_;
    Reader reader_;
    std::vector<std::int64_t> starts_;
    std::vector<std::int32_t> heads_, next_;
    std::vector<std::int32_t> most_;  // -1: not chosen, or done with
    std::vector<Hit> waiting_;
    std::uint64_t calls_ = 0;
    bool spent_ = false;
};

}  // namespace

Outcome run(const Query& query, std::span<const Shelf> shelves, std::span<const Prepared* const> ready,
            std::span<const std::uint8_t> chosen, std::span<const std::int64_t> first, const Terms& terms,
            const Interrupted& interrupted) {
    return Run(query, shelves, ready, chosen, terms, interrupted).go(first);
}

void likeness(const Query& query, std::span<const Shelf> shelves, std::span<const std::uint8_t> chosen,
              std::span<float> alike) {
    const Terms terms;
    const Bounds bound(query, shelves, terms);
    std::size_t place = 0;
    for (const Shelf& shelf : shelves)
        for (std::size_t i = 0; i < shelf.count(); ++i, ++place)
            alike[place] = chosen[place] ? bound.alike(shelf, i) : -1;
}

void bounds(const Query& query, std::span<const Shelf> shelves, std::span<const std::uint8_t> chosen,
            const Terms& terms, bool sharp, std::span<std::int32_t> most) {
    Bounds bound(query, shelves, terms);
    std::size_t place = 0;
    for (const Shelf& shelf : shelves)
        for (std::size_t i = 0; i < shelf.count(); ++i, ++place) {
            most[place] = chosen[place] ? bound.quick(shelf, i) : -1;
            if (sharp && chosen[place]) most[place] = bound.sharp(shelf, i, most[place]);
        }
}

}  // namespace infmcs::search
