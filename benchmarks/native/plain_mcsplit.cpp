// Plain McSplit over pairs of graphs: reads the graphs and pairs from a file, writes size, proof and seconds of each
// pair. benchmarks/mcs.py compiles it with the flags of the core.
//
//     graphs, then for each: nodes edges, its labels, its edges; then pairs, connected (0 or 1), seconds a pair; then
//     pairs
#include "../../native/tests/plain_mcsplit.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

static double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int main(int count, char** arguments) {
    using namespace infmcs::tests;
    if (count != 2) return 2;
    std::ifstream file(arguments[1]);
    std::size_t graphs = 0, pairs = 0;
    file >> graphs;
    std::vector<PlainGraph> all(graphs);
    for (PlainGraph& graph : all) {
        std::size_t nodes = 0, edges = 0;
        file >> nodes >> edges;
        graph.labels.resize(nodes);
        for (auto& label : graph.labels) file >> label;
        graph.adjacent.assign(nodes, std::vector<char>(nodes, 0));
        for (std::size_t k = 0, u = 0, v = 0; k < edges; ++k) {
            file >> u >> v;
            graph.adjacent[u][v] = graph.adjacent[v][u] = 1;
        }
    }
    int connected = 0;
    double limit = 0;
    file >> pairs >> connected >> limit;
    std::vector<std::pair<std::size_t, std::size_t>> asked(pairs);
    for (auto& [i, j] : asked) file >> i >> j;
    if (!file) return 1;
    std::string told;
    const double started = cpu_seconds();
    for (const auto& [i, j] : asked) {
        const bool swap = all[i].labels.size() > all[j].labels.size();
        PlainMcSplit search(all[swap ? j : i], all[swap ? i : j], connected != 0, limit);
        const int size = search.solve();
        told += std::to_string(size) + (search.proved ? " 1 " : " 0 ") + std::to_string(search.visited) + "\n";
    }
    std::printf("%s%.6f\n", told.c_str(), cpu_seconds() - started);
}
