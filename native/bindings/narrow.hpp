// Arrays of small numbers, as an index stores them.
#pragma once

#include "../shelf.hpp"
#include "arrays.hpp"

namespace infmcs::python {

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

inline Narrow narrow(const AnyArray& array, std::size_t count) {
    const auto type = array.dtype();
    const bool fits =
        type.lanes == 1 && ((type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) &&
                             (type.bits == 8 || type.bits == 16)) ||
                            (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) && type.bits == 32));
    if (!fits) throw nb::value_error("numbers must be uint8, uint16 or int32");
    if (array.size() != count) throw nb::value_error("an array has another length than its graphs need");
    return {static_cast<const std::uint8_t*>(array.data()), type.bits / 8};
}

}  // namespace infmcs::python
