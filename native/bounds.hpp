// Upper bounds of common subgraphs without a search: what the counts of two graphs allow.
//
// A connected common subgraph lies in one component of each graph. For such questions every component is a part of
// its own, and the bound of two graphs is the largest bound of two parts; else a graph is one part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "links.hpp"
#include "mcs.hpp"

namespace infmcs::bounds {

// Each level takes in the ones before it and costs more.
enum class Level : int {
    sizes,    // nodes, or edges, of the smaller part
    labels,   // of each label no more nodes than both have; counting edges: of each type of edge
    edges,    // induced: surplus edges of a type must go, and nodes with them. connected: edges join the nodes
    degrees,  // nodes need partners whose degree can become equal; counting edges: degrees of one type, paired by rank
    colours,  // parts that colour refinement tells apart are not equal
};
constexpr int levels = 5;

struct Count {
    Key key;
    std::int32_t count;
};

struct Stub {  // edges of one type at one node
    std::int32_t type, count;
};

struct Part {
    std::int32_t nodes = 0, edges = 0;
    Key colours = 0;                        // equal for isomorphic parts
    std::span<const Count> labels, types;   // rising by key
    const std::int32_t* degrees = nullptr;  // by label, then rising
    const std::size_t* first_stub = nullptr;
    const Stub* stubs = nullptr;
    const std::size_t* first_column =
        nullptr;                            // two a type, one for each end; the second is empty where ends are alike
    const std::int32_t* columns = nullptr;  // degrees of that type, falling
};

// The counts of many graphs, made once.
class Profiles {
public:
    Profiles(const GraphsView& graphs, Sight sight, bool connected);

    std::size_t count() const { return first_part_.size() - 1; }
    std::size_t first_part(std::size_t graph) const { return first_part_[graph]; }
    Part part(std::size_t i) const;

private:
    struct Places {
        std::int32_t nodes, edges;
        Key colours;
        std::size_t label, type, node;
    };
    struct Graph;
    void add(const GraphView& graph, Sight sight, bool connected);
    void add_part(const Graph& graph, std::vector<std::int32_t> nodes, Sight sight);

    std::vector<std::size_t> first_part_{0};
    std::vector<Places> parts_;
    std::vector<Count> labels_, types_;
    std::vector<std::int32_t> degrees_, columns_;
    std::vector<std::size_t> first_stub_{0}, first_column_{0};
    std::vector<Stub> stubs_;
};

// Bounds pairs; holds the memory it works with.
class Bounder {
public:
    explicit Bounder(mcs::Question question) : question_(question) {}

    // No common subgraph of these graphs is larger. Gives up sharpening once the bound is not above `above`.
    int upper(const Profiles& left, std::size_t i, const Profiles& right, std::size_t j, Level level, int above = 0);

private:
    int nodes(const Part& a, const Part& b, Level level, int above);
    int edges(const Part& a, const Part& b, Level level, int above) const;
    int types_in_common(const Part& a, const Part& b);
    int kept(const Part& part, const Part& other, const std::vector<std::int32_t>& surplus, int must_go);

    mcs::Question question_;
    std::vector<std::int32_t> left_surplus_, right_surplus_, gains_, pool_;
};

}  // namespace infmcs::bounds
