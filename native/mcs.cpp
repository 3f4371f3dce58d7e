#include "mcs.hpp"

#include <algorithm>
#include <tuple>

#include "edge_search.hpp"
#include "induced.hpp"

namespace infmcs::mcs {

namespace {

// One search of each compiled form, made when first needed.
template <template <std::size_t> class Form>
struct ForWords {
    std::tuple<std::unique_ptr<Form<1>>, std::unique_ptr<Form<2>>, std::unique_ptr<Form<4>>, std::unique_ptr<Form<8>>,
               std::unique_ptr<Form<16>>>
        forms;

    template <std::size_t Words>
    Form<Words>& get() {
        auto& form = std::get<std::unique_ptr<Form<Words>>>(forms);
        if (!form) form = std::make_unique<Form<Words>>();
        return *form;
    }
};

template <bool Kinds, bool Connected>
struct Induced {
    template <std::size_t Words>
    using Form = InducedSearch<Words, Kinds, Connected>;
    ForWords<Form> searches;
};

template <bool CountEdges, bool Connected>
struct Edges {
    template <std::size_t Words>
    using Form = EdgeSearch<Words, CountEdges, Connected>;
    ForWords<Form> searches;
};

// Calls work with the number of words both graphs need, as a constant.
template <class Work>
void with_words(int words, const Work& work) {
    switch (words) {
        case 1:
            return work(std::integral_constant<std::size_t, 1>{});
        case 2:
            return work(std::integral_constant<std::size_t, 2>{});
        case 4:
            return work(std::integral_constant<std::size_t, 4>{});
        case 8:
            return work(std::integral_constant<std::size_t, 8>{});
        default:
            return work(std::integral_constant<std::size_t, 16>{});
    }
}

template <class Work>
void with_flags(const Work& work) {
    work();
}
template <class Work, class... Flags>
void with_flags(const Work& work, bool flag, Flags... flags) {
    if (flag)
        with_flags([&](auto... more) { work(std::true_type{}, more...); }, flags...);
    else
        with_flags([&](auto... more) { work(std::false_type{}, more...); }, flags...);
}

// Whether more than 'adjacent or not' can be seen between nodes of these two graphs.
bool several_kinds(const PreparedGraph& a, const PreparedGraph& b) {
    if (a.all_kinds.size() > 1 || b.all_kinds.size() > 1) return true;
    return !a.all_kinds.empty() && !b.all_kinds.empty() && a.all_kinds[0] != b.all_kinds[0];
}

// Puts down what a search lists, in the numbers and on the sides that the caller knows.
class Tally {
public:
    Tally(const PreparedGraph& small, const PreparedGraph& large, bool swapped, std::int64_t limit, Ballot ballot)
        : small_(small), large_(large), swapped_(swapped), limit_(limit), ballot_(ballot) {}

    std::int64_t count() const { return count_; }

    bool add(std::span<const Pair> mapping) {
        if (count_ == limit_) return false;
        ++count_;
        if (!ballot_.mappings) return true;
        const auto first = static_cast<std::ptrdiff_t>(ballot_.mappings->size());
        for (const Pair pair : mapping) ballot_.mappings->push_back(original(pair));
        std::sort(ballot_.mappings->begin() + first, ballot_.mappings->end(), by_left);
        if (ballot_.lengths) ballot_.lengths->push_back(static_cast<std::int32_t>(mapping.size()));
        return true;
    }

    void matched(int v, int w, std::int64_t times) {
        if (!ballot_.votes || !times) return;
        const Pair pair = original({v, w});
        const int width = swapped_ ? small_.size : large_.size;
        ballot_.votes[std::ptrdiff_t{pair.left} * width + pair.right] += static_cast<std::int32_t>(times);
    }

    Pair original(Pair pair) const {
        const std::int32_t v = small_.order[pair.left], w = large_.order[pair.right];
        return swapped_ ? Pair{w, v} : Pair{v, w};
    }

    static bool by_left(const Pair& a, const Pair& b) { return a.left < b.left; }

private:
    const PreparedGraph &small_, &large_;
    bool swapped_;
    std::int64_t limit_, count_ = 0;
    Ballot ballot_;
};

}  // namespace

struct Searcher::Memory {
    std::tuple<Induced<false, false>, Induced<false, true>, Induced<true, false>, Induced<true, true>> induced;
    std::tuple<Edges<true, false>, Edges<true, true>, Edges<false, true>> edges;
};

Searcher::Searcher() : memory_(std::make_unique<Memory>()) {}
Searcher::~Searcher() = default;

template <class Use>
void Searcher::with_search(const PreparedGraph& small, const PreparedGraph& large, Question question, const Use& use) {
    with_words(std::max(small.words, large.words), [&](auto words) {
        const auto begin = [&](auto& searches) {
            auto& search = searches.searches.template get<words>();
            search.left.look_at(small);
            search.right.look_at(large);
            search.reserve();
            use(search);
        };
        if (question.induced) {
            with_flags(
                [&](auto kinds, auto connected) { begin(std::get<Induced<kinds, connected>>(memory_->induced)); },
                several_kinds(small, large), question.connected);
        } else if (question.count_edges) {
            with_flags([&](auto connected) { begin(std::get<Edges<true, connected>>(memory_->edges)); },
                       question.connected);
        } else {
            begin(std::get<Edges<false, true>>(memory_->edges));
        }
    });
}

template <class Search>
const Found& Searcher::take(Search& search, const PreparedGraph& small, const PreparedGraph& large, bool swapped,
                            bool mapping, Meter& meter) {
    if (search.found()) {
        found_.lower = search.size();
        found_.mapping.clear();
    }
    if (search.found() && mapping) {
        const Tally numbers(small, large, swapped, 0, {});
        for (const Pair pair : search.mapping()) found_.mapping.push_back(numbers.original(pair));
        std::sort(found_.mapping.begin(), found_.mapping.end(), Tally::by_left);
    }
    found_.upper = std::max(found_.lower, search.upper());
    found_.visited = meter.visited();
    found_.interrupted = meter.was_interrupted();
    return found_;
}

const Found& Searcher::search(const PreparedGraph& left, const PreparedGraph& right, Question question,
                              const Wishes& wishes, Meter& meter) {
    const bool swapped = left.size > right.size;  // a small left graph makes a small tree
    const PreparedGraph &small = swapped ? right : left, &large = swapped ? left : right;
    found_.mapping.assign(wishes.start.begin(), wishes.start.end());
    found_.lower = wishes.start_size;
    with_search(small, large, question, [&](auto& search) {
        search.run(std::max(wishes.above, wishes.start_size), wishes.guide, swapped, meter, wishes.reductions);
        take(search, small, large, swapped, wishes.mapping, meter);
    });
    return found_;
}

const Found& Searcher::greedy(const PreparedGraph& left, const PreparedGraph& right, Question question, Meter& meter) {
    const bool swapped = left.size > right.size;
    const PreparedGraph &small = swapped ? right : left, &large = swapped ? left : right;
    found_.mapping.clear();
    found_.lower = 0;
    with_search(small, large, question, [&](auto& search) {
        search.dive(meter);
        take(search, small, large, swapped, true, meter);
    });
    return found_;
}

Optima Searcher::optima(const PreparedGraph& left, const PreparedGraph& right, Question question, std::int64_t limit,
                        Ballot ballot, Meter& meter) {
    const bool swapped = left.size > right.size;
    const PreparedGraph &small = swapped ? right : left, &large = swapped ? left : right;
    Optima optima;
    with_search(small, large, question, [&](auto& search) {
        Tally tally(small, large, swapped, limit, ballot);
        search.run(0, nullptr, false, meter);
        optima.size = search.size();
        optima.proved = search.upper() <= search.size();
        if (optima.proved) {
            optima.complete = search.each(optima.size, tally, meter);
        } else {  // one mapping of the largest size known: better than none
            tally.add(search.mapping());
            for (const auto [v, w] : search.mapping()) tally.matched(v, w, 1);
        }
        optima.count = tally.count();
        optima.interrupted = meter.was_interrupted();
    });
    return optima;
}

}  // namespace infmcs::mcs
