#include "prepared.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace infmcs {

namespace {

std::vector<std::int32_t> by_falling_degree(const GraphView& graph) {
    const auto size = static_cast<std::size_t>(graph.size);
    std::vector<std::int32_t> degree(size, 0), order(size);
    for (const auto [from, to] : graph.edges) {
        if (from == to) continue;
        ++degree[static_cast<std::size_t>(from)];
        ++degree[static_cast<std::size_t>(to)];
    }
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return degree[static_cast<std::size_t>(a)] > degree[static_cast<std::size_t>(b)];
    });
    return order;
}

// One edge as it is seen from one end, when edges matter one by one.
Kind with_far_label(Kind kind, Nature far) {
    const Kind out = kind >> 32, in = kind & 0xFFFFFFFF;
    return Kind{out == 0} << 63 | (out ? out : in) << 32 | static_cast<std::uint32_t>(far.label);
}

void set_bit(Word* row, int node) { row[node >> 6] |= Word{1} << (node & 63); }
bool has_bit(const Word* row, int node) { return row[node >> 6] >> (node & 63) & 1; }

// Whether the rows of u and v are equal once u and v have changed places.
bool alike_when_swapped(const Word* row_u, const Word* row_v, int u, int v, int words) {
    if (has_bit(row_u, v) != has_bit(row_v, u)) return false;
    for (int i = 0; i < words; ++i) {
        Word rest = ~Word{0};
        if (u >> 6 == i) rest &= ~(Word{1} << (u & 63));
        if (v >> 6 == i) rest &= ~(Word{1} << (v & 63));
        if ((row_u[i] ^ row_v[i]) & rest) return false;
    }
    return true;
}

}  // namespace

int words_for(int nodes) {
    int words = 1;
    while (64 * words < nodes) words *= 2;
    return words;
}

Prepared::Prepared(const GraphsView& graphs, Sight sight, int least_words) {
    graphs_.reserve(graphs.count());
    for (std::size_t i = 0; i < graphs.count(); ++i) add(graphs[i], sight, least_words);
}

void Prepared::become(const GraphView& graph, Sight sight) {
    graphs_.clear();
    order_.clear();
    place_.clear();
    first_kind_.clear();
    natures_.clear();
    classes_.clear();
    neighbours_.clear();
    twins_.clear();
    kind_rows_.clear();
    class_rows_.clear();
    kinds_.clear();
    all_kinds_.clear();
    loops_.clear();
    types_.clear();
    kind_types_.clear();
    loop_types_.clear();
    add(graph, sight, 1);
}

// Induced, undirected, edges alike, rows of one word: what most searches ask of most graphs is made without a sort and
// without memory of its own, in a fifth of the time. An index prepares thousands of graphs a query.
void Prepared::add_simple(const GraphView& graph, bool node_labels) {
    constexpr Kind edge = Kind{1} << 32 | 1;
    const auto size = static_cast<std::size_t>(graph.size);
    Places places = places_of(graph.size, 1);
    std::array<Word, 64> rows{};
    Word loops = 0;
    for (const auto [from, to] : graph.edges) {
        if (from == to) {
            loops |= Word{1} << from;
        } else {
            rows[static_cast<std::size_t>(from)] |= Word{1} << to;
            rows[static_cast<std::size_t>(to)] |= Word{1} << from;
        }
    }
    std::array<std::int32_t, 65> of_degree{};  // nodes of that degree, then where they begin
    for (std::size_t v = 0; v < size; ++v) ++of_degree[static_cast<std::size_t>(std::popcount(rows[v]))];
    std::int32_t begin = 0;
    for (std::size_t degree = of_degree.size(); degree-- > 0;) begin += std::exchange(of_degree[degree], begin);

    order_.resize(places.node + size);
    place_.resize(places.node + size);
    natures_.resize(places.node + size);
    loops_.resize(places.node + size);
    neighbours_.resize(places.row + size);
    twins_.resize(places.row + size);
    first_kind_.resize(places.first_kind + size + 1);
    std::int32_t* const order = order_.data() + places.node;
    std::int32_t* const place = place_.data() + places.node;
    Nature* const natures = natures_.data() + places.node;
    Word* const neighbours = neighbours_.data() + places.row;
    std::array<Nature, 64> classes;
    std::array<Word, 64> class_rows;
    std::size_t count = 0;
    for (std::size_t v = 0; v < size; ++v) {
        const std::int32_t k = of_degree[static_cast<std::size_t>(std::popcount(rows[v]))]++;
        order[k] = static_cast<std::int32_t>(v);
        place[v] = k;
        const std::uint32_t loop = loops >> v & 1;
        const Nature nature{node_labels ? graph.labels[v] : 0, loop};
        natures[k] = nature;
        loops_[places.node + static_cast<std::size_t>(k)] = loop;
        std::size_t at = count;
        while (at > 0 && nature < classes[at - 1]) --at;
        if (at > 0 && classes[at - 1] == nature) {
            class_rows[at - 1] |= Word{1} << k;
            continue;
        }
        for (std::size_t i = count++; i > at; --i) classes[i] = classes[i - 1], class_rows[i] = class_rows[i - 1];
        classes[at] = nature;
        class_rows[at] = Word{1} << k;
    }
    classes_.insert(classes_.end(), classes.begin(), classes.begin() + static_cast<std::ptrdiff_t>(count));
    class_rows_.insert(class_rows_.end(), class_rows.begin(), class_rows.begin() + static_cast<std::ptrdiff_t>(count));
    places.classes = static_cast<std::int32_t>(count);

    std::int32_t kinds = 0, ends = 0;
    for (std::size_t k = 0; k < size; ++k) {
        Word row = 0;
        for (Word rest = rows[static_cast<std::size_t>(order[k])]; rest; rest &= rest - 1)
            row |= Word{1} << place[std::countr_zero(rest)];
        neighbours[k] = row;
        first_kind_[places.first_kind + k] = kinds;
        kinds += row != 0;
        ends += std::popcount(row);
    }
    first_kind_[places.first_kind + size] = kinds;
    places.edges = ends / 2;
    // Nodes without neighbours have the smallest degree, so they are the last.
    kinds_.resize(places.kind + static_cast<std::size_t>(kinds), edge);
    kind_rows_.insert(kind_rows_.end(), neighbours, neighbours + kinds);
    places.kinds = kinds > 0;
    if (kinds) all_kinds_.push_back(edge);

    for (std::size_t u = 0; u < size; ++u) {
        // A twin is a neighbour, or a neighbour of any of u's neighbours; without neighbours, any other such node.
        const Word row = neighbours[u];
        Word near = row ? row | neighbours[std::countr_zero(row)] : ~Word{0} << kinds;
        if (size < 64) near &= (Word{1} << size) - 1;
        Word twins = 0;
        for (near &= ~(Word{1} << u); near; near &= near - 1) {
            const auto v = static_cast<std::size_t>(std::countr_zero(near));
            const Word both = Word{1} << u | Word{1} << v;
            if ((row | both) == (neighbours[v] | both) && natures[u] == natures[v]) twins |= Word{1} << v;
        }
        twins_[places.row + u] = twins;
    }
    graphs_.push_back(places);
}

Prepared::Places Prepared::places_of(std::int32_t size, int words) const {
    return {size,
            words,
            0,
            0,
            0,
            order_.size(),
            neighbours_.size(),
            kinds_.size(),
            kind_rows_.size(),
            first_kind_.size(),
            classes_.size(),
            class_rows_.size(),
            all_kinds_.size(),
            types_.size(),
            0};
}

void Prepared::add(const GraphView& graph, Sight sight, int least_words) {
    if (graph.size > most_nodes) throw std::length_error("graph over the size limit");
    const bool labelled_edges = sight.edge_labels && !graph.edge_labels.empty();
    if (graph.size <= 64 && least_words <= 1 && sight.induced && !graph.directed && !labelled_edges)
        return add_simple(graph, sight.node_labels);
    const auto size = static_cast<std::size_t>(graph.size);
    const int words = std::max(words_for(graph.size), least_words);
    const auto row = static_cast<std::size_t>(words);
    Places places = places_of(graph.size, words);
    const auto order = by_falling_degree(graph);
    order_.insert(order_.end(), order.begin(), order.end());
    place_.resize(order_.size());
    const auto place = std::span(place_).subspan(places.node);
    for (std::size_t k = 0; k < size; ++k) place[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
    const Links found = links_of(graph, sight, place);
    const auto& [links, natures, loops] = found;
    natures_.insert(natures_.end(), natures.begin(), natures.end());
    loops_.insert(loops_.end(), loops.begin(), loops.end());
    places.edges = static_cast<std::int32_t>(links.size() / 2);
    neighbours_.resize(places.row + size * row);
    const auto nature = [&](std::int32_t node) { return found.natures[static_cast<std::size_t>(node)]; };
    auto link = links.begin();
    std::vector<std::pair<Kind, const Link*>> here;
    std::vector<Key> row_types;
    for (std::size_t k = 0; k < size; ++k) {
        first_kind_.push_back(static_cast<std::int32_t>(kinds_.size() - places.kind));
        here.clear();
        for (; link != links.end() && link->from == static_cast<std::int32_t>(k); ++link)
            here.emplace_back(sight.induced ? link->kind : with_far_label(link->kind, nature(link->to)), &*link);
        std::sort(here.begin(), here.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        Word* const neighbours = neighbours_.data() + places.row + k * row;
        Kind last = 0;  // no link has it
        for (const auto& [kind, one] : here) {
            if (kind != last) {
                kinds_.push_back(last = kind);
                kind_rows_.resize(kind_rows_.size() + row);
                if (!sight.induced) row_types.push_back(end_of(nature(one->from), nature(one->to), one->kind).type);
            }
            set_bit(kind_rows_.data() + kind_rows_.size() - row, one->to);
            set_bit(neighbours, one->to);
        }
    }
    first_kind_.push_back(static_cast<std::int32_t>(kinds_.size() - places.kind));

    std::vector<Kind> kinds(kinds_.begin() + static_cast<std::ptrdiff_t>(places.kind), kinds_.end());
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    all_kinds_.insert(all_kinds_.end(), kinds.begin(), kinds.end());
    places.kinds = static_cast<std::int32_t>(kinds.size());

    std::vector<Nature> classes(natures.begin(), natures.end());
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    classes_.insert(classes_.end(), classes.begin(), classes.end());
    places.classes = static_cast<std::int32_t>(classes.size());
    class_rows_.resize(places.class_row + classes.size() * row);
    for (std::size_t k = 0; k < size; ++k) {
        const auto at = std::lower_bound(classes.begin(), classes.end(), natures[k]) - classes.begin();
        set_bit(class_rows_.data() + places.class_row + static_cast<std::size_t>(at) * row, static_cast<int>(k));
    }
    if (!sight.induced) add_types(places, found, row_types);
    add_twins(places);
    graphs_.push_back(places);
}

void Prepared::add_types(Places& places, const Links& found, std::span<const Key> row_types) {
    const auto& [links, natures, loops] = found;
    std::vector<Key> keys;  // each edge twice
    for (const Link& link : links)
        keys.push_back(
            end_of(natures[static_cast<std::size_t>(link.from)], natures[static_cast<std::size_t>(link.to)], link.kind)
                .type);
    for (std::size_t v = 0; v < loops.size(); ++v)
        if (loops[v]) keys.insert(keys.end(), 2, type_of_loop(natures[v].label, loops[v]));
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); i += 2) {
        if (types_.size() == places.type || types_.back().key != keys[i]) types_.push_back({keys[i], 0});
        ++types_.back().count;
    }
    const auto types = std::span(types_).subspan(places.type);
    places.types = static_cast<std::int32_t>(types.size());
    const auto number = [&](Key key) {
        const auto at = std::lower_bound(types.begin(), types.end(), key,
                                         [](const TypeCount& type, Key wanted) { return type.key < wanted; });
        return static_cast<std::int32_t>(at - types.begin());
    };
    for (const Key key : row_types) kind_types_.push_back(number(key));
    for (std::size_t v = 0; v < loops.size(); ++v)
        loop_types_.push_back(loops[v] ? number(type_of_loop(natures[v].label, loops[v])) : -1);
}

void Prepared::add_twins(const Places& places) {
    const auto row = static_cast<std::size_t>(places.words);
    const auto size = static_cast<std::size_t>(places.size);
    twins_.resize(places.row + size * row);
    const Word* const rows = neighbours_.data() + places.row;
    const std::int32_t* const first = first_kind_.data() + places.first_kind;
    const auto twins = [&](std::size_t u, std::size_t v) {
        const int a = static_cast<int>(u), b = static_cast<int>(v);
        if (natures_[places.node + u] != natures_[places.node + v]) return false;
        if (loops_[places.node + u] != loops_[places.node + v]) return false;
        if (!alike_when_swapped(rows + u * row, rows + v * row, a, b, places.words)) return false;
        if (first[u + 1] - first[u] != first[v + 1] - first[v]) return false;
        for (int k = 0; k < first[u + 1] - first[u]; ++k) {
            const auto in_u = static_cast<std::size_t>(first[u] + k), in_v = static_cast<std::size_t>(first[v] + k);
            if (kinds_[places.kind + in_u] != kinds_[places.kind + in_v]) return false;
            const Word* const all = kind_rows_.data() + places.kind_row;
            if (!alike_when_swapped(all + in_u * row, all + in_v * row, a, b, places.words)) return false;
        }
        return true;
    };
    degrees_.assign(size, 0);
    for (std::size_t u = 0; u < size; ++u)
        for (std::size_t k = 0; k < row; ++k) degrees_[u] += std::popcount(rows[u * row + k]);
    for (std::size_t u = 0; u < size; ++u)
        for (std::size_t v = u + 1; v < size; ++v)
            if (degrees_[u] == degrees_[v] && twins(u, v)) {
                set_bit(twins_.data() + places.row + u * row, static_cast<int>(v));
                set_bit(twins_.data() + places.row + v * row, static_cast<int>(u));
            }
}

PreparedGraph Prepared::operator[](std::size_t i) const {
    const Places& at = graphs_[i];
    return {at.size,
            at.words,
            order_.data() + at.node,
            place_.data() + at.node,
            natures_.data() + at.node,
            neighbours_.data() + at.row,
            twins_.data() + at.row,
            first_kind_.data() + at.first_kind,
            kinds_.data() + at.kind,
            kind_rows_.data() + at.kind_row,
            {classes_.data() + at.nature, static_cast<std::size_t>(at.classes)},
            class_rows_.data() + at.class_row,
            {all_kinds_.data() + at.all_kind, static_cast<std::size_t>(at.kinds)},
            at.edges,
            loops_.data() + at.node,
            {types_.data() + at.type, static_cast<std::size_t>(at.types)},
            kind_types_.data() + at.kind,
            loop_types_.data() + at.node};
}

}  // namespace infmcs
