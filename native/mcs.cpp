#include "mcs.hpp"

#include <algorithm>
#include <tuple>

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

template <bool Kinds, bool Connected, bool Guided>
struct Induced {
    template <std::size_t Words>
    using Form = InducedSearch<Words, Kinds, Connected, Guided>;
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

int most_common_nodes(const PreparedGraph& left, const PreparedGraph& right) { return std::min(left.size, right.size); }

}  // namespace

struct Searcher::Memory {
    std::tuple<Induced<false, false, false>, Induced<false, false, true>, Induced<false, true, false>,
               Induced<false, true, true>, Induced<true, false, false>, Induced<true, false, true>,
               Induced<true, true, false>, Induced<true, true, true>>
        induced;
};

Searcher::Searcher() : memory_(std::make_unique<Memory>()) {}
Searcher::~Searcher() = default;

const Found& Searcher::search(const PreparedGraph& left, const PreparedGraph& right, Question question,
                              const Wishes& wishes, Meter& meter) {
    const bool swapped = left.size > right.size;  // a small left graph makes a small tree
    const PreparedGraph &small = swapped ? right : left, &large = swapped ? left : right;
    const int incumbent = std::max(wishes.above, wishes.start_size);
    found_.mapping.assign(wishes.start.begin(), wishes.start.end());
    found_.lower = wishes.start_size;

    const auto use = [&](auto& search) {
        search.reserve(small.size);
        search.left.look_at(small);
        search.right.look_at(large);
        search.run(incumbent, wishes.guide, swapped, meter);
        if (search.found()) {
            found_.lower = search.size();
            found_.mapping.clear();
            for (const auto [v, w] : search.mapping()) {
                const Pair pair{small.order[v], large.order[w]};
                found_.mapping.push_back(swapped ? Pair{pair.right, pair.left} : pair);
            }
            std::sort(found_.mapping.begin(), found_.mapping.end(),
                      [](const Pair& a, const Pair& b) { return a.left < b.left; });
        }
        found_.upper = search.upper();
    };
    with_words(std::max(small.words, large.words), [&](auto words) {
        with_flags(
            [&](auto kinds, auto connected, auto guided) {
                use(std::get<Induced<kinds, connected, guided>>(memory_->induced).searches.template get<words>());
            },
            several_kinds(small, large), question.connected, wishes.guide != nullptr);
    });
    found_.upper = std::max(found_.lower, std::min(found_.upper, most_common_nodes(left, right)));
    found_.visited = meter.visited();
    found_.interrupted = meter.was_interrupted();
    return found_;
}

}  // namespace infmcs::mcs
