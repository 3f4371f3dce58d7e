// McSplit as its paper prints it (McCreesh, Prosser, Trimble 2017), for undirected graphs with node labels: the oracle
// of the fast search, and what benchmarks compare it with. Lists instead of words, no twins, nothing given to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <utility>
#include <vector>

namespace infmcs::tests {

struct PlainGraph {
    std::vector<std::int32_t> labels;
    std::vector<std::vector<char>> adjacent;
};

class PlainMcSplit {
    struct Class {
        std::vector<int> left, right;
        bool touches;  // the matched part
        int most() const { return static_cast<int>(std::min(left.size(), right.size())); }
    };
    using Classes = std::vector<Class>;

public:
    PlainMcSplit(const PlainGraph& left, const PlainGraph& right, bool connected, double seconds = 1e9)
        : left_(left), right_(right), connected_(connected), ends_(now() + seconds) {}

    // The size, or the best found by the time; `proved` says which.
    int solve() {
        std::map<std::int32_t, Class> by_label;
        for (const int v : by_falling_degree(left_)) by_label[label(left_, v)].left.push_back(v);
        for (const int w : by_falling_degree(right_)) by_label[label(right_, w)].right.push_back(w);
        Classes classes;
        for (auto& [_, one] : by_label) {
            one.touches = false;
            if (one.most()) classes.push_back(std::move(one));
        }
        proved = expand(std::move(classes));
        return static_cast<int>(best.size());
    }

    std::vector<std::pair<int, int>> best;
    std::int64_t visited = 0;
    bool proved = false;

private:
    static double now() {
        return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // of the processor: the machine may be busy
    }
    static std::int32_t label(const PlainGraph& graph, int v) { return graph.labels[static_cast<std::size_t>(v)]; }
    static bool joined(const PlainGraph& graph, int v, int w) {
        return graph.adjacent[static_cast<std::size_t>(v)][static_cast<std::size_t>(w)];
    }

    static std::vector<int> by_falling_degree(const PlainGraph& graph) {
        std::vector<int> order, degree;
        for (std::size_t v = 0; v < graph.labels.size(); ++v) {
            order.push_back(static_cast<int>(v));
            degree.push_back(static_cast<int>(std::count(graph.adjacent[v].begin(), graph.adjacent[v].end(), 1)));
        }
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return degree[static_cast<std::size_t>(a)] > degree[static_cast<std::size_t>(b)];
        });
        return order;
    }

    bool expand(Classes classes) {
        if ((++visited & 1023) == 0 && now() > ends_) return false;
        if (current_.size() > best.size()) best = current_;
        std::size_t bound = current_.size();
        for (const Class& one : classes) bound += static_cast<std::size_t>(one.most());
        if (bound <= best.size()) return true;

        Class* branch = nullptr;
        for (Class& one : classes) {
            if (connected_ && !current_.empty() && !one.touches) continue;
            if (!branch ||
                std::max(one.left.size(), one.right.size()) < std::max(branch->left.size(), branch->right.size()))
                branch = &one;
        }
        if (!branch) return true;
        const int v = branch->left.front();
        for (const int w : branch->right) {
            current_.emplace_back(v, w);
            const bool finished = expand(refine(classes, v, w));
            current_.pop_back();
            if (!finished) return false;
        }
        branch->left.erase(branch->left.begin());  // the branch where v stays unmatched
        if (branch->left.empty()) classes.erase(classes.begin() + (branch - classes.data()));
        return expand(std::move(classes));
    }

    Classes refine(const Classes& classes, int v, int w) const {
        Classes refined;
        for (const Class& one : classes) {
            Class with{{}, {}, true}, without{{}, {}, one.touches};
            for (const int u : one.left)
                if (u != v) (joined(left_, v, u) ? with : without).left.push_back(u);
            for (const int u : one.right)
                if (u != w) (joined(right_, w, u) ? with : without).right.push_back(u);
            if (with.most()) refined.push_back(std::move(with));
            if (without.most()) refined.push_back(std::move(without));
        }
        return refined;
    }

    const PlainGraph &left_, &right_;
    bool connected_;
    double ends_;
    std::vector<std::pair<int, int>> current_;
};

}  // namespace infmcs::tests
