// Learned similarity from stored node vectors, for Python.
#include "../score.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "narrow.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

score::Store store_of(const AnyArray& array) {
    const auto type = array.dtype();
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) && type.bits == 32)
        return score::Store::float32;
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) && type.bits == 16)
        return score::Store::float16;
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) && type.bits == 8)
        return score::Store::int8;
    throw nb::value_error("vectors must be float32, float16 or int8");
}

score::Vectors vectors_of(const AnyArray& keys, const AnyArray& own, const AnyArray& partner,
                          const std::optional<Floats>& key_scales, const std::optional<Floats>& own_scales,
                          const std::optional<Floats>& partner_scales, const AnyArray& labels, const Ints& label_ids,
                          const Offsets& node_offsets, int width) {
    score::Vectors vectors;
    if (!node_offsets.size()) throw nb::value_error("offsets have at least one entry");
    vectors.node_offsets = span(node_offsets);
    const auto nodes = static_cast<std::size_t>(vectors.node_offsets.back());
    for (std::size_t i = 0; i + 1 < vectors.node_offsets.size(); ++i)
        if (vectors.node_offsets[i] < 0 || vectors.node_offsets[i] > vectors.node_offsets[i + 1])
            throw nb::value_error("offsets must not fall");
    vectors.store = store_of(keys);
    for (const AnyArray* array : {&keys, &own, &partner})
        if (store_of(*array) != vectors.store || array->size() != nodes * static_cast<std::size_t>(width))
            throw nb::value_error("vectors must be of one kind, a row a node");
    for (const auto* scales : {&key_scales, &own_scales, &partner_scales})
        if ((vectors.store == score::Store::int8) != scales->has_value() || (*scales && (*scales)->size() != nodes))
            throw nb::value_error("vectors of one byte have a scale a node, others have none");
    vectors.keys = keys.data();
    vectors.own = own.data();
    vectors.partner = partner.data();
    vectors.key_scales = key_scales ? key_scales->data() : nullptr;
    vectors.own_scales = own_scales ? own_scales->data() : nullptr;
    vectors.partner_scales = partner_scales ? partner_scales->data() : nullptr;
    vectors.labels = narrow(labels, nodes);
    vectors.label_ids = span(label_ids);
    return vectors;
}

}  // namespace

void bind_score(nb::module_& m) {
    struct OwnedVectors {
        score::Vectors vectors;
        int width;
    };
    nb::class_<OwnedVectors>(m, "Vectors", "Node vectors of many graphs, as they lie in an index.")
        .def(
            "__init__",
            [](OwnedVectors* self, const nb::object& keys, const nb::object& own, const nb::object& partner,
               const std::optional<Floats>& key_scales, const std::optional<Floats>& own_scales,
               const std::optional<Floats>& partner_scales, const nb::object& labels, const Ints& label_ids,
               const Offsets& node_offsets, int width) {
                const auto array = [](const nb::object& one) { return nb::cast<AnyArray>(one, false); };
                new (self) OwnedVectors{vectors_of(array(keys), array(own), array(partner), key_scales, own_scales,
                                                   partner_scales, array(labels), label_ids, node_offsets, width),
                                        width};
            },
            nb::arg("keys"), nb::arg("own"), nb::arg("partner"), nb::arg("key_scales").noconvert().none(),
            nb::arg("own_scales").noconvert().none(), nb::arg("partner_scales").noconvert().none(), nb::arg("labels"),
            nb::arg("label_ids").noconvert(), nb::arg("node_offsets").noconvert(), nb::arg("width"),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
            nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(),
            nb::keep_alive<1, 10>());
    m.def(
        "scores",
        [](const OwnedVectors& query, const OwnedVectors& graphs, const Offsets& places, const Floats& second,
           float bias, float temperature, float steepness, bool euclidean, bool labels, bool bounded, int threads,
           nb::object progress) {
            if (query.width != graphs.width || second.size() != static_cast<std::size_t>(query.width))
                throw nb::value_error("the model has another width than the vectors");
            if (query.vectors.node_offsets.size() != 2 || query.vectors.store != score::Store::float32)
                throw nb::value_error("a query is one graph in float32");
            for (std::size_t k = 0; k < places.size(); ++k)
                if (places(k) < 0 || static_cast<std::size_t>(places(k)) + 1 >= graphs.vectors.node_offsets.size())
                    throw nb::index_error("no such graph");
            const score::Head head{query.width, second.data(),
                                   bias,        temperature,
                                   steepness,   euclidean ? score::Likeness::euclidean : score::Likeness::product,
                                   labels,      bounded};
            std::vector<float> found(places.size());
            bool finished = false;
            {
                const nb::gil_scoped_release release;
                finished =
                    score::scores(head, query.vectors, graphs.vectors, span(places), found, threads, watch(progress));
            }
            if (!finished) throw nb::python_error();
            return numpy(std::move(found));
        },
        nb::arg("query"), nb::arg("graphs"), nb::arg("places"), nb::arg("second"), nb::arg("bias"),
        nb::arg("temperature"), nb::arg("steepness"), nb::arg("euclidean"), nb::arg("labels"), nb::arg("bounded"),
        nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace infmcs::python
