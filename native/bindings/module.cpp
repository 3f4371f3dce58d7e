// The Python module `infmcs._native`. Only the files in this folder know Python; each registers its own part.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "parts.hpp"

namespace nb = nanobind;

NB_MODULE(_native, m) {
    m.doc() = "The native core: solvers, bounds, isomorphism classes. Use infmcs.solve, which is typed and checked.";
    m.def("compiler", [] { return std::string("C++20, " __VERSION__); }, "The compiler this core was built with.");
    infmcs::python::bind_bounds(m);
    infmcs::python::bind_ged(m);
    infmcs::python::bind_isomorphism(m);
    infmcs::python::bind_mcs(m);
    infmcs::python::bind_stopping(m);
    infmcs::python::bind_priced(m);
    infmcs::python::bind_search(m);
    infmcs::python::bind_score(m);
}
