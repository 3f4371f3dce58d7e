// Plain McSplit over pairs of graphs: reads the graphs and pairs from a file, writes size, proof and seconds of each
// pair. benchmarks/mcs.py compiles it with the flags of the core.
//
//     graphs, then for each: nodes edges, its labels, its edges; then pairs, connected (0 or 1), seconds a pair; then
//     pairs
#include "../../native/tests/plain_mcsplit.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

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
    for (std::size_t k = 0, i = 0, j = 0; k < pairs && file >> i >> j; ++k) {
        const auto started = std::chrono::steady_clock::now();
        const bool swap = all[i].labels.size() > all[j].labels.size();
        PlainMcSplit search(all[swap ? j : i], all[swap ? i : j], connected != 0, limit);
        const int size = search.solve();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        std::printf("%d %d %lld %.9f\n", size, search.proved ? 1 : 0, static_cast<long long>(search.visited), seconds);
    }
    return file ? 0 : 1;
}
