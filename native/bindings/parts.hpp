// What the module is made of: each part registers its own functions.
#pragma once

#include <nanobind/nanobind.h>

namespace infmcs::python {

// One line a part, defined in NAME.cpp and called from module.cpp.
void bind_mcs(nanobind::module_& m);

void bind_bounds(nanobind::module_& m);

void bind_ged(nanobind::module_& m);

void bind_stopping(nanobind::module_& m);

void bind_priced(nanobind::module_& m);

void bind_isomorphism(nanobind::module_& m);

void bind_search(nanobind::module_& m);

void bind_score(nanobind::module_& m);

}  // namespace infmcs::python
