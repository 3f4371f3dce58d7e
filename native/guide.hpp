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
        if (!preferences_) return ours.first();
        int best = -1;
        float most = 0;
        for (Set rest = ours; rest.any();) {
            const int v = rest.first();
            rest.remove(v);
            const float wish = preference(v, right(v, theirs));
            if (best < 0 || wish > most) best = v, most = wish;
        }
        return best;
    }

    int right(int v, Set partners) const {
        if (!preferences_) return partners.first();
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

private:
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
