// One build of the edit search, maybe without some of its ideas (native/ideas.hpp), as a function for ctypes:
// benchmarks/ged_ablation.py compiles it once a row of its table.
#include <ctime>

#include "../../native/ged.hpp"

static double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Distances of pairs of graphs; `seconds`, `upper`, `visited` have one place a pair. Whether all are proved.
extern "C" int solve_pairs(std::size_t graphs, const std::int64_t* node_offsets, const std::int64_t* edge_offsets,
                           const std::int32_t* labels, const infmcs::Edge* edges, std::size_t count,
                           const std::int64_t* pairs, double* seconds, std::int32_t* upper, std::int64_t* visited) {
    using namespace infmcs;
    GraphsView view;
    view.node_offsets = {node_offsets, graphs + 1};
    view.edge_offsets = {edge_offsets, graphs + 1};
    view.labels = {labels, static_cast<std::size_t>(node_offsets[graphs])};
    view.edges = {edges, static_cast<std::size_t>(edge_offsets[graphs])};
    const auto ready = ged::prepare_all(view, true);
    ged::Solver solver;
    bool proved = true;
    for (std::size_t k = 0; k < count; ++k) {
        const auto& left = ready[static_cast<std::size_t>(pairs[2 * k])];
        const auto& right = ready[static_cast<std::size_t>(pairs[2 * k + 1])];
        const double begun = cpu_seconds();
        const auto found = solver.distance(left, right, {});
        seconds[k] = cpu_seconds() - begun;
        upper[k] = found.upper;
        visited[k] = found.visited;
        proved = proved && found.lower >= found.upper;
    }
    return proved;
}
