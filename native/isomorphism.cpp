#include "isomorphism.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

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
    // the graph and the given colours, not on node numbers. Returns the colours sorted.
    Colours refine(Colours& colours) const {
        Colours next(size()), sorted = colours;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t known = kinds(sorted); known < size();) {
            for (std::size_t v = 0; v < size(); ++v) {
                Colour around = 0;
                for (const auto [to, kind] : links(v)) around += scrambled(colours[at(to)] + scrambled(kind));
                next[v] = scrambled(scrambled(colours[v]) + around);
            }
            colours.swap(next);
            sorted = colours;
            std::sort(sorted.begin(), sorted.end());
            const std::size_t found = kinds(sorted);
            if (found <= known) break;
            known = found;
        }
        return sorted;
    }

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

Coloured with_own_colour(const Coloured& graph, std::size_t node) {
    Coloured other = graph;
    other.colours[node] = scrambled(other.colours[node] + 1);
    other.sorted = graph.net.refine(other.colours);
    return other;
}

// An isomorphism maps equal colours to equal colours, so one node of a class is tried on every node of that class.
bool isomorphic(const Coloured& a, const Coloured& b, Meter& meter) {
    if (meter.spent() || a.sorted != b.sorted) return false;
    const std::size_t shared = smallest_class(a.sorted);
    if (shared == a.sorted.size()) {
        std::vector<std::pair<Colour, std::int32_t>> theirs;
        for (std::size_t w = 0; w < b.colours.size(); ++w)
            theirs.emplace_back(b.colours[w], static_cast<std::int32_t>(w));
        std::sort(theirs.begin(), theirs.end());
        std::vector<std::int32_t> images;
        for (const Colour colour : a.colours)
            images.push_back(std::lower_bound(theirs.begin(), theirs.end(), std::pair{colour, 0})->second);
        return a.net.becomes(b.net, images);
    }
    const Colour colour = a.sorted[shared];
    const auto v = static_cast<std::size_t>(std::find(a.colours.begin(), a.colours.end(), colour) - a.colours.begin());
    const Coloured left = with_own_colour(a, v);
    for (std::size_t w = 0; w < b.colours.size(); ++w)
        if (b.colours[w] == colour && isomorphic(left, with_own_colour(b, w), meter)) return true;
    return false;
}

Coloured coloured(const Net& net) {
    Coloured graph{net, net.natural_colours(), {}};
    graph.sorted = net.refine(graph.colours);
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
        const Coloured graph = coloured(net);
        Colour hash = graph.sorted.size();
        for (const Colour colour : graph.sorted) hash = scrambled(hash ^ colour);
        std::int32_t found = -1;
        std::vector<std::int32_t>& group = groups[hash];
        for (const std::int32_t candidate : group) {
            const Net first(graphs[firsts[static_cast<std::size_t>(candidate)]], sight);
            if (isomorphic(coloured(first), graph, meter)) found = candidate;
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
