#include "bounds.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace infmcs::bounds {

namespace {

// Calls same(i, j) for equal keys of two rising lists.
template <class Same>
void meet(std::span<const Count> a, std::span<const Count> b, const Same& same) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].key == b[j].key)
            same(i++, j++);
        else
            a[i].key < b[j].key ? ++i : ++j;
    }
}

int in_common(std::span<const Count> a, std::span<const Count> b) {
    int sum = 0;
    meet(a, b, [&](std::size_t i, std::size_t j) { sum += std::min(a[i].count, b[j].count); });
    return sum;
}

std::vector<std::vector<std::int32_t>> components(std::size_t size, std::span<const Link> links) {
    std::vector<std::int32_t> root(size);
    std::iota(root.begin(), root.end(), 0);
    const std::function<std::int32_t(std::int32_t)> find = [&](std::int32_t v) {
        auto& up = root[static_cast<std::size_t>(v)];
        return up == v ? v : up = find(up);
    };
    for (const Link& link : links) root[static_cast<std::size_t>(find(link.from))] = find(link.to);
    std::map<std::int32_t, std::vector<std::int32_t>> members;
    for (std::size_t v = 0; v < size; ++v)
        members[find(static_cast<std::int32_t>(v))].push_back(static_cast<std::int32_t>(v));
    std::vector<std::vector<std::int32_t>> parts;
    for (auto& [_, nodes] : members) parts.push_back(std::move(nodes));
    return parts;
}

// Colour refinement: a node's colour takes in its neighbours' until no more colours appear.
// Stops by what the part itself shows, so that equal parts of different graphs are refined alike.
std::vector<Key> refined(std::vector<Key> colours, std::span<const Link> links) {
    const auto different = [](std::vector<Key> keys) {
        std::sort(keys.begin(), keys.end());
        return std::unique(keys.begin(), keys.end()) - keys.begin();
    };
    for (auto count = different(colours);;) {
        std::vector<Key> next(colours.size(), 0);
        for (const Link& link : links)
            next[static_cast<std::size_t>(link.from)] +=
                mixed(colours[static_cast<std::size_t>(link.to)] ^ mixed(link.kind));
        for (std::size_t v = 0; v < next.size(); ++v) next[v] = mixed(colours[v] ^ mixed(next[v]));
        const auto now = different(next);
        colours = std::move(next);
        if (now <= count) return colours;
        count = now;
    }
}

// Whether `size` pairs of nodes of one label each can have equal degrees once the other nodes are gone.
int partners(const std::int32_t* a, int count_a, int gone_a, const std::int32_t* b, int count_b, int gone_b) {
    int pairs = 0;
    for (int i = 0, j = 0; i < count_a && j < count_b;) {
        if (a[i] - b[j] > gone_a)
            ++j;
        else if (b[j] - a[i] > gone_b)
            ++i;
        else
            ++pairs, ++i, ++j;
    }
    return pairs;
}

bool degrees_allow(const Part& a, const Part& b, int size) {
    int pairs = 0, at_a = 0, at_b = 0;
    for (std::size_t i = 0, j = 0; i < a.labels.size() && j < b.labels.size();) {
        const auto [key_a, count_a] = a.labels[i];
        const auto [key_b, count_b] = b.labels[j];
        if (key_a == key_b)
            pairs += partners(a.degrees + at_a, count_a, a.nodes - size, b.degrees + at_b, count_b, b.nodes - size);
        if (key_a <= key_b) at_a += count_a, ++i;
        if (key_b <= key_a) at_b += count_b, ++j;
    }
    return pairs >= size;
}

// Edges of one type that two columns of degrees allow: ranks paired.
int ranked(const Part& a, std::size_t i, const Part& b, std::size_t j) {
    const std::size_t length =
        std::min(a.first_column[i + 1] - a.first_column[i], b.first_column[j + 1] - b.first_column[j]);
    int sum = 0;
    for (std::size_t k = 0; k < length; ++k)
        sum += std::min(a.columns[a.first_column[i] + k], b.columns[b.first_column[j] + k]);
    return sum;
}

}  // namespace

struct Profiles::Graph {
    Links found;
    std::vector<std::size_t> first_link;  // of each node
};

Profiles::Profiles(const GraphsView& graphs, Sight sight, bool connected) {
    for (std::size_t i = 0; i < graphs.count(); ++i) add(graphs[i], sight, connected);
}

void Profiles::add(const GraphView& graph, Sight sight, bool connected) {
    const auto size = static_cast<std::size_t>(graph.size);
    std::vector<std::int32_t> place(size);
    std::iota(place.begin(), place.end(), 0);
    Graph known{links_of(graph, sight, place), std::vector<std::size_t>(size + 1, 0)};
    const auto& links = known.found.links;
    for (const Link& link : links) ++known.first_link[static_cast<std::size_t>(link.from) + 1];
    std::partial_sum(known.first_link.begin(), known.first_link.end(), known.first_link.begin());
    if (connected) {
        for (auto& nodes : components(size, links)) add_part(known, std::move(nodes), sight);
    } else if (size) {
        add_part(known, std::move(place), sight);
    }
    first_part_.push_back(parts_.size());
}

void Profiles::add_part(const Graph& graph, std::vector<std::int32_t> nodes, Sight sight) {
    const auto& [links, natures, loops] = graph.found;
    const auto here = [&](std::int32_t v) {
        const auto at = static_cast<std::size_t>(v);
        return std::span(links).subspan(graph.first_link[at], graph.first_link[at + 1] - graph.first_link[at]);
    };
    const auto nature = [&](std::int32_t v) { return natures[static_cast<std::size_t>(v)]; };
    const auto end_at = [&](const Link& link) { return end_of(nature(link.from), nature(link.to), link.kind); };
    Places part{static_cast<std::int32_t>(nodes.size()), 0, 0, labels_.size(), types_.size(), degrees_.size()};

    std::sort(nodes.begin(), nodes.end(), [&](std::int32_t u, std::int32_t v) {
        return std::tuple(key_of(nature(u)), here(u).size(), u) < std::tuple(key_of(nature(v)), here(v).size(), v);
    });
    for (const auto v : nodes) {
        const Key key = key_of(nature(v));
        if (labels_.size() == part.label || labels_.back().key != key) labels_.push_back({key, 0});
        ++labels_.back().count;
        degrees_.push_back(static_cast<std::int32_t>(here(v).size()));
    }
    std::vector<std::int32_t> place(natures.size(), -1);
    std::vector<Key> colours;
    std::vector<Link> inner;
    for (const auto v : nodes) {
        const auto loop = loops[static_cast<std::size_t>(v)];
        if (!sight.induced && here(v).empty() && !loop) continue;  // counted in edges, such a node is nothing
        place[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(colours.size());
        colours.push_back(mixed(key_of(nature(v)) ^ loop));
    }
    for (const auto v : nodes)
        for (const Link& link : here(v))
            inner.push_back(
                {place[static_cast<std::size_t>(link.from)], place[static_cast<std::size_t>(link.to)], link.kind});
    for (const Key colour : refined(std::move(colours), inner)) part.colours += mixed(colour);

    std::map<Key, std::int32_t> counts;
    for (const auto v : nodes) {
        for (const Link& link : here(v)) ++counts[end_at(link).type];
        if (!sight.induced && loops[static_cast<std::size_t>(v)])
            counts[type_of_loop(nature(v).label, loops[static_cast<std::size_t>(v)])] += 2;
    }
    for (const auto& [key, ends] : counts) {
        types_.push_back({key, ends / 2});
        part.edges += ends / 2;
    }

    const auto types = std::span(types_).subspan(part.type);
    std::vector<std::vector<std::int32_t>> columns(2 * types.size());
    for (const auto v : nodes) {
        std::map<std::pair<std::int32_t, int>, std::int32_t> ends;
        for (const Link& link : here(v)) {
            const auto [type, end] = end_at(link);
            const auto at = std::lower_bound(types.begin(), types.end(), type,
                                             [](const Count& one, Key key) { return one.key < key; });
            ++ends[{static_cast<std::int32_t>(at - types.begin()), end}];
        }
        for (const auto& [which, count] : ends) {
            stubs_.push_back({which.first, count});
            columns[static_cast<std::size_t>(2 * which.first + which.second)].push_back(count);
        }
        first_stub_.push_back(stubs_.size());
    }
    for (auto& column : columns) {
        std::sort(column.begin(), column.end(), std::greater<>());
        columns_.insert(columns_.end(), column.begin(), column.end());
        first_column_.push_back(columns_.size());
    }
    parts_.push_back(part);
}

Part Profiles::part(std::size_t i) const {
    const Places& at = parts_[i];
    const bool last = i + 1 == parts_.size();
    const std::size_t labels = last ? labels_.size() : parts_[i + 1].label,
                      types = last ? types_.size() : parts_[i + 1].type;
    return {at.nodes,
            at.edges,
            at.colours,
            std::span(labels_).subspan(at.label, labels - at.label),
            std::span(types_).subspan(at.type, types - at.type),
            degrees_.data() + at.node,
            first_stub_.data() + at.node,
            stubs_.data(),
            first_column_.data() + 2 * at.type,
            columns_.data()};
}

int Bounder::upper(const Profiles& left, std::size_t i, const Profiles& right, std::size_t j, Level level, int above) {
    int most = 0;
    for (std::size_t p = left.first_part(i); p < left.first_part(i + 1); ++p) {
        const Part a = left.part(p);
        for (std::size_t q = right.first_part(j); q < right.first_part(j + 1); ++q) {
            const Part b = right.part(q);
            const int enough = std::max(most, above);
            most = std::max(most, question_.count_edges ? edges(a, b, level, enough) : nodes(a, b, level, enough));
        }
    }
    return most;
}

int Bounder::nodes(const Part& a, const Part& b, Level level, int above) {
    int bound = std::min(a.nodes, b.nodes);
    if (bound <= above || level < Level::labels) return bound;
    bound = in_common(a.labels, b.labels);
    if (bound <= above || level < Level::edges) return bound;
    const int common = types_in_common(a, b);
    if (question_.connected) bound = std::min(bound, 1 + common);
    if (!question_.induced) return bound;
    if (bound > above) bound = std::min(bound, kept(a, b, left_surplus_, a.edges - common));
    if (bound > above) bound = std::min(bound, kept(b, a, right_surplus_, b.edges - common));
    if (level >= Level::degrees)
        while (bound > above && !degrees_allow(a, b, bound)) --bound;
    if (level >= Level::colours && bound > above && bound == a.nodes && bound == b.nodes && a.colours != b.colours)
        --bound;
    return bound;
}

int Bounder::edges(const Part& a, const Part& b, Level level, int above) const {
    int bound = std::min(a.edges, b.edges);
    if (bound <= above || level < Level::labels) return bound;
    bound = in_common(a.types, b.types);
    if (bound <= above || level < Level::degrees) return bound;
    bound = 0;
    meet(a.types, b.types, [&](std::size_t i, std::size_t j) {
        int most = std::min(a.types[i].count, b.types[j].count);
        const auto length = [](const Part& part, std::size_t column) {
            return part.first_column[column + 1] - part.first_column[column];
        };
        const bool loops = length(a, 2 * i) == 0, alike = length(a, 2 * i + 1) == 0;
        if (!loops) most = std::min(most, ranked(a, 2 * i, b, 2 * j) / (alike ? 2 : 1));
        if (!alike) most = std::min(most, ranked(a, 2 * i + 1, b, 2 * j + 1));
        bound += most;
    });
    if (level >= Level::colours && bound > above && bound == a.edges && bound == b.edges && a.colours != b.colours)
        --bound;
    return bound;
}

// How many edges both parts can have in common, by types; of each type, how many too many either has.
int Bounder::types_in_common(const Part& a, const Part& b) {
    left_surplus_.resize(a.types.size());
    right_surplus_.resize(b.types.size());
    for (std::size_t i = 0; i < a.types.size(); ++i) left_surplus_[i] = a.types[i].count;
    for (std::size_t j = 0; j < b.types.size(); ++j) right_surplus_[j] = b.types[j].count;
    int sum = 0;
    meet(a.types, b.types, [&](std::size_t i, std::size_t j) {
        const int both = std::min(a.types[i].count, b.types[j].count);
        left_surplus_[i] -= both;
        right_surplus_[j] -= both;
        sum += both;
    });
    return sum;
}

// How many nodes of a part can stay when `must_go` surplus edges go with the others. Of each label at least as many
// nodes go as the other part has too few; those and then any others, the ones with most surplus edges first.
int Bounder::kept(const Part& part, const Part& other, const std::vector<std::int32_t>& surplus, int must_go) {
    int gone = 0;
    pool_.clear();
    int node = 0;
    std::size_t j = 0;
    for (const auto [key, count] : part.labels) {
        while (j < other.labels.size() && other.labels[j].key < key) ++j;
        const int there = j < other.labels.size() && other.labels[j].key == key ? other.labels[j].count : 0;
        const int forced = std::max(0, count - there);
        gains_.clear();
        for (const int end = node + count; node < end; ++node) {
            int gain = 0;
            for (std::size_t k = part.first_stub[node]; k < part.first_stub[node + 1]; ++k)
                gain += std::min(part.stubs[k].count, surplus[static_cast<std::size_t>(part.stubs[k].type)]);
            gains_.push_back(gain);
        }
        if (forced) std::sort(gains_.begin(), gains_.end(), std::greater<>());
        for (int k = 0; k < forced; ++k) must_go -= gains_[static_cast<std::size_t>(k)];
        gone += forced;
        pool_.insert(pool_.end(), gains_.begin() + forced, gains_.end());
    }
    if (must_go > 0) {
        std::sort(pool_.begin(), pool_.end(), std::greater<>());
        for (std::size_t k = 0; must_go > 0 && k < pool_.size(); ++k, ++gone) must_go -= pool_[k];
    }
    return part.nodes - gone;
}

}  // namespace infmcs::bounds
