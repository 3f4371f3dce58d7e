// A caller's preferences: which pair of two sets of nodes to try first. Without a guide the smallest numbers go first.
#pragma once

#include <cstddef>

#include "side.hpp"

namespace infmcs::mcs {

template <std::size_t Words>
class Guide {
    using Set = Bits<Words>;

public:
    Guide(const Side<Words>& left, const Side<Words>& right) : left_(left), right_(right) {}

    // One row a node of the caller's left graph; `transposed` when the search has that graph on its right. Null: none.
    void follow(const float* preferences, bool transposed) {
        preferences_ = preferences;
        transposed_ = transposed;
    }

    int left(const Set& ours, const Set& theirs) const {
        return preferences_ ? preferred_left(ours, theirs) : ours.first();
    }
    int right(int v, const Set& partners) const {
        return preferences_ ? preferred_right(v, partners) : partners.first();
    }

private:
    int preferred_left(const Set& ours, const Set& theirs) const {
        int best = -1;
        float most = 0;
        for (Set rest = ours; rest.any();) {
            const int v = rest.first();
            rest.remove(v);
            const float wish = preference(v, preferred_right(v, theirs));
            if (best < 0 || wish > most) best = v, most = wish;
        }
        return best;
    }

    int preferred_right(int v, Set partners) const {
        int best = -1;
        float most = 0;
        while (partners.any()) {
            const int w = partners.first();
            partners.remove(w);
            const float wish = preference(v, w);
            if (best < 0 || wish > most) best = w, most = wish;
        }
        return best;
    }

    float preference(int v, int w) const {
        const auto a = static_cast<std::ptrdiff_t>(left_.graph().order[v]);
        const auto b = static_cast<std::ptrdiff_t>(right_.graph().order[w]);
        return transposed_ ? preferences_[b * left_.size() + a] : preferences_[a * right_.size() + b];
    }

    const Side<Words>&left_, &right_;
    const float* preferences_ = nullptr;
    bool transposed_ = false;
};

}  // namespace infmcs::mcs
