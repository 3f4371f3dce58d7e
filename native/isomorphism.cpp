#include "isomorphism.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace infmcs {

namespace {

using Colour = std::uint64_t;
using Colours = std::vector<Colour>;  // one a node

// A word in which every bit depends on every bit of the given one: the finish of MurmurHash3 (Appleby).
constexpr Colour scrambled(Colour word) {
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCDu;
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53u;
    return word ^ word >> 33;
}

struct Link {
    std::int32_t to;
    std::uint32_t kind;  // label and direction; 0 is none
    auto operator<=>(const Link&) const = default;
};

// One graph as refinement reads it: the links of each node sorted, loops beside the labels.
class Net {
public:
    Net(const GraphView& graph, Sight sight)
        : first_(static_cast<std::size_t>(graph.size) + 1, 0), natures_(static_cast<std::size_t>(graph.size)) {
        for (std::size_t v = 0; v < natures_.size(); ++v) natures_[v] = {sight.node_labels ? graph.labels[v] : 0, 0};
        for (const auto [from, to] : graph.edges)
            if (from != to) ++first_[at(from) + 1], ++first_[at(to) + 1];
        for (std::size_t v = 0; v < natures_.size(); ++v) first_[v + 1] += first_[v];
        links_.resize(first_.back());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t i = 0; i < graph.edges.size(); ++i) {
            const auto [from, to] = graph.edges[i];
            const bool labelled = sight.edge_labels && !graph.edge_labels.empty();
            const auto kind = 4 * static_cast<std::uint32_t>(labelled ? graph.edge_labels[i] : 0);
            if (from == to) {
                natures_[at(from)].loop = kind + 1;
            } else {
                links_[next[at(from)]++] = {to, kind + 1};
                links_[next[at(to)]++] = {from, graph.directed ? kind + 2 : kind + 1};
            }
        }
        for (std::size_t v = 0; v < natures_.size(); ++v)
            std::sort(links_.begin() + static_cast<std::ptrdiff_t>(first_[v]),
                      links_.begin() + static_cast<std::ptrdiff_t>(first_[v + 1]));
    }

    std::size_t size() const { return natures_.size(); }

    Colours natural_colours() const {
        Colours colours(size());
        for (std::size_t v = 0; v < size(); ++v) {
            const auto label = static_cast<std::uint32_t>(natures_[v].label);
            colours[v] = scrambled(Colour{label} << 32 | natures_[v].loop);
        }
        return colours;
    }

    // Splits colours by the colours around them until nothing splits any more. What comes out depends on nothing but
    // the graph and the given colours, not on node numbers. Returns the colours sorted; less when the meter stops.
    Colours refine(Colours& colours, Meter& meter) const;

    // A mapping to the other graph that keeps colours, of which both have the same: from a node on to its neighbours,
    // each to the first of its colour that is free. Of trees, cycles, copies and unions of such it is an isomorphism.
    std::vector<std::int32_t> followed(const Colours& colours, const Net& other, const Colours& others) const;

    // Is this numbering of my nodes by the other graph's an isomorphism? Both have as many links.
    bool becomes(const Net& other, const std::vector<std::int32_t>& images) const {
        for (std::size_t v = 0; v < size(); ++v) {
            const std::size_t w = at(images[v]);
            if (natures_[v] != other.natures_[w]) return false;
            for (const auto [to, kind] : links(v))
                if (!std::ranges::binary_search(other.links(w), Link{images[at(to)], kind})) return false;
        }
        return links_.size() == other.links_.size();
    }

private:
    static constexpr int most_rounds = 24;  // over all nodes; few graphs need more, and long paths thousands

    class Ripples;

    Colour around(std::size_t v, const Colours& colours) const {
        Colour sum = 0;
        for (const auto [to, kind] : links(v)) sum += scrambled(colours[at(to)] + scrambled(kind));
        return sum;
    }
    static std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }
    static std::size_t kinds(const Colours& sorted) {
        std::size_t count = !sorted.empty();
        for (std::size_t i = 1; i < sorted.size(); ++i) count += sorted[i] != sorted[i - 1];
        return count;
    }
    std::span<const Link> links(std::size_t v) const {
        return std::span(links_).subspan(first_[v], first_[v + 1] - first_[v]);
    }

    std::vector<std::size_t> first_;
    std::vector<Link> links_;
    std::vector<Nature> natures_;
};

// The same splitting where it takes many rounds: each looks only at nodes beside one whose colour has just changed. Of
// a class that splits, the largest part keeps the colour, of equal parts that with the smallest sum around, so that few
// nodes change (Hopcroft 1971). Between rounds the sums around all nodes of a class are equal.
class Net::Ripples {
public:
    Ripples(const Net& net, Colours& colours)
        : net_(net), colours_(colours), sums_(colours.size()), place_(colours.size()), waits_(colours.size(), true) {
        for (std::size_t v = 0; v < colours.size(); ++v) {
            join(v, colours[v]);
            reached_.push_back(v);
        }
    }

    void settle(Meter& meter) {
        for (Colour round = 0; !reached_.empty(); ++round) {
            for (const std::size_t v : reached_) {
                if (meter.spent()) return;
                sums_[v] = net_.around(v, colours_);
                waits_[v] = false;
            }
            std::ranges::sort(reached_, {}, [&](std::size_t v) { return std::tuple(colours_[v], sums_[v], v); });
            changed_.clear();
            for (std::size_t i = 0, j = 0; i < reached_.size(); i = j) {
                while (j < reached_.size() && colours_[reached_[j]] == colours_[reached_[i]]) ++j;
                split(std::span(reached_).subspan(i, j - i), round);
            }
            for (const auto& [v, colour] : changed_) colours_[v] = colour;
            reached_.clear();
            for (const auto& [v, colour] : changed_)
                for (const auto [to, kind] : net_.links(v))
                    if (!waits_[at(to)]) waits_[at(to)] = true, reached_.push_back(at(to));
        }
        // The sums become part of the colours, so that graphs differ that split alike around other neighbours.
        for (std::size_t v = 0; v < colours_.size(); ++v) colours_[v] = scrambled(scrambled(colours_[v]) + sums_[v]);
    }

private:
    struct Part {
        Colour sum;
        std::size_t size;
    };

    // A class, of which these nodes were reached; the sums around the others are what they were.
    void split(std::span<const std::size_t> reached, Colour round) {
        const Colour colour = colours_[reached[0]];
        std::vector<std::size_t>& members = members_[colour];
        std::vector<Part> parts;
        for (const std::size_t v : reached) {
            if (parts.empty() || parts.back().sum != sums_[v]) parts.push_back({sums_[v], 0});
            ++parts.back().size;
        }
        const std::size_t others = members.size() - reached.size();
        const Colour stood = others ? stands_.at(colour) : 0;
        if (others) {
            const auto same = std::ranges::find(parts, stood, &Part::sum);
            if (same != parts.end())
                same->size += others;
            else
                parts.push_back({stood, others});
        }
        const Part largest =
            *std::ranges::min_element(parts, {}, [](const Part& part) { return std::pair(~part.size, part.sum); });
        stands_[colour] = largest.sum;
        if (parts.size() == 1) return;
        const bool others_leave = others && stood != largest.sum;  // then at least half of the class was reached
        std::vector<std::size_t> leaving;
        for (const std::size_t v : others_leave ? std::span<const std::size_t>(members) : reached)
            if (sums_[v] != largest.sum) leaving.push_back(v);
        for (const std::size_t v : leaving) {
            const Colour own = scrambled(scrambled(colour + round) + sums_[v]);
            leave(v, colour);
            join(v, own);
            stands_[own] = sums_[v];
            changed_.emplace_back(v, own);
        }
    }

    void join(std::size_t v, Colour colour) {
        std::vector<std::size_t>& members = members_[colour];
        place_[v] = members.size();
        members.push_back(v);
    }
    void leave(std::size_t v, Colour colour) {
        std::vector<std::size_t>& members = members_[colour];
        place_[members.back()] = place_[v];
        members[place_[v]] = members.back();
        members.pop_back();
    }

    const Net& net_;
    Colours& colours_;
    Colours sums_;
    std::vector<std::size_t> place_;  // of each node among the members of its class
    std::vector<bool> waits_;
    std::unordered_map<Colour, std::vector<std::size_t>> members_;
    std::unordered_map<Colour, Colour> stands_;  // the sum around each node of a class
    std::vector<std::size_t> reached_;
    std::vector<std::pair<std::size_t, Colour>> changed_;
};

Colours Net::refine(Colours& colours, Meter& meter) const {
    Colours next(size()), sorted = colours;
    std::sort(sorted.begin(), sorted.end());
    int rounds = 0;
    for (std::size_t known = kinds(sorted); known < size() && !meter.stopped(); ++rounds) {
        if (rounds == most_rounds) {
            Ripples(*this, colours).settle(meter);
            sorted = colours;
            std::sort(sorted.begin(), sorted.end());
            break;
        }
        for (std::size_t v = 0; v < size() && !meter.spent(); ++v)
            next[v] = scrambled(scrambled(colours[v]) + around(v, colours));
        colours.swap(next);
        sorted = colours;
        std::sort(sorted.begin(), sorted.end());
        const std::size_t found = kinds(sorted);
        if (found <= known) break;
        known = found;
    }
    return sorted;
}

// The nodes by colour; those of one colour by number.
std::vector<std::int32_t> in_order(const Colours& colours) {
    std::vector<std::int32_t> nodes(colours.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    std::ranges::sort(nodes, {}, [&](std::int32_t v) { return std::pair(colours[static_cast<std::size_t>(v)], v); });
    return nodes;
}

std::vector<std::int32_t> Net::followed(const Colours& colours, const Net& other, const Colours& others) const {
    const std::vector<std::int32_t> ours = in_order(colours), theirs = in_order(others);
    std::vector<std::int32_t> images(size(), -1), queue;
    std::vector<bool> taken(size(), false);
    const auto lead = [&](std::int32_t v, std::int32_t w) {
        images[at(v)] = w;
        taken[at(w)] = true;
        queue.push_back(v);
    };
    const auto beside = [](const Net& net, const Colours& seen, std::int32_t v) {
        std::vector<std::tuple<std::uint32_t, Colour, std::int32_t>> found;
        for (const auto [to, kind] : net.links(at(v))) found.emplace_back(kind, seen[at(to)], to);
        std::ranges::sort(found);
        return found;
    };
    std::size_t free = 0;
    for (std::size_t k = 0; k < ours.size(); ++k) {
        if (!k || colours[at(ours[k])] != colours[at(ours[k - 1])]) free = k;
        if (images[at(ours[k])] >= 0) continue;
        while (taken[at(theirs[free])]) ++free;
        lead(ours[k], theirs[free]);
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const auto here = beside(*this, colours, queue[next]),
                       there = beside(other, others, images[at(queue[next])]);
            for (std::size_t i = 0, j = 0; i < here.size() && j < there.size();) {
                const auto [kind, colour, v] = here[i];
                const auto [same_kind, same_colour, w] = there[j];
                const auto order = std::pair(kind, colour) <=> std::pair(same_kind, same_colour);
                if (order < 0 || images[at(v)] >= 0) {
                    ++i;
                } else if (order > 0 || taken[at(w)]) {
                    ++j;
                } else {
                    lead(v, w);
                    ++i, ++j;
                }
            }
        }
        queue.clear();
    }
    return images;
}

struct Coloured {
    const Net& net;
    Colours colours, sorted;
};

// A colour several nodes share, the one shared by the fewest; the length of `sorted` when there is none.
std::size_t smallest_class(const Colours& sorted) {
    std::size_t best = sorted.size(), least = sorted.size() + 1;
    for (std::size_t i = 0, j = 0; i < sorted.size(); i = j) {
        while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
        if (j - i > 1 && j - i < least) best = i, least = j - i;
    }
    return best;
}

Coloured with_own_colour(const Coloured& graph, std::size_t node, Meter& meter) {
    Coloured other = graph;
    other.colours[node] = scrambled(other.colours[node] + 1);
    other.sorted = graph.net.refine(other.colours, meter);
    return other;
}

// An isomorphism maps equal colours to equal colours. Where it can be followed from node to node without a wrong turn
// it is found at once; else one node of a class is tried on every node of that class.
bool isomorphic(const Coloured& a, const Coloured& b, Meter& meter) {
    if (meter.spent() || a.sorted != b.sorted) return false;
    if (a.net.becomes(b.net, a.net.followed(a.colours, b.net, b.colours))) return true;
    const std::size_t shared = smallest_class(a.sorted);
    if (shared == a.sorted.size()) return false;
    const Colour colour = a.sorted[shared];
    const auto v = static_cast<std::size_t>(std::find(a.colours.begin(), a.colours.end(), colour) - a.colours.begin());
    const Coloured left = with_own_colour(a, v, meter);
    for (std::size_t w = 0; w < b.colours.size() && !meter.stopped(); ++w)
        if (b.colours[w] == colour && isomorphic(left, with_own_colour(b, w, meter), meter)) return true;
    return false;
}

Coloured coloured(const Net& net, Meter& meter) {
    Coloured graph{net, net.natural_colours(), {}};
    graph.sorted = net.refine(graph.colours, meter);
    return graph;
}

}  // namespace

std::vector<std::int32_t> isomorphism_classes(const GraphsView& graphs, Sight sight, Meter& meter) {
    std::vector<std::int32_t> classes;
    std::vector<std::size_t> firsts;  // the first graph of each class
    std::unordered_map<Colour, std::vector<std::int32_t>> groups;
    classes.reserve(graphs.count());
    for (std::size_t i = 0; i < graphs.count() && !meter.spent(); ++i) {
        const Net net(graphs[i], sight);
        const Coloured graph = coloured(net, meter);
        Colour hash = graph.sorted.size();
        for (const Colour colour : graph.sorted) hash = scrambled(hash ^ colour);
        std::int32_t found = -1;
        std::vector<std::int32_t>& group = groups[hash];
        for (const std::int32_t candidate : group) {
            const Net first(graphs[firsts[static_cast<std::size_t>(candidate)]], sight);
            if (isomorphic(coloured(first, meter), graph, meter)) found = candidate;
            if (found >= 0 || meter.stopped()) break;
        }
        if (meter.stopped()) break;
        if (found < 0) {
            found = static_cast<std::int32_t>(firsts.size());
            firsts.push_back(i);
            group.push_back(found);
        }
        classes.push_back(found);
    }
    return classes;
}

}  // namespace infmcs
