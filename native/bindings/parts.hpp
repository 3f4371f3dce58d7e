// What the module is made of: each part registers its own functions.
#pragma once

#include <nanobind/nanobind.h>

namespace infmcs::python {

// void bind_NAME(nanobind::module_& m);  one line a part, defined in NAME.cpp and called from module.cpp

void bind_ged(nanobind::module_& m);

}  // namespace infmcs::python
