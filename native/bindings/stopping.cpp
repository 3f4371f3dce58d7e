// Ctrl-C reaches the main thread alone. A thread of a service is stopped by name: its client has left.
#include <set>

#include "arrays.hpp"
#include "parts.hpp"

namespace infmcs::python {

namespace {

std::set<unsigned long>& unwanted() {  // threads asked to stop; the GIL guards it
    static std::set<unsigned long> threads;
    return threads;
}

}  // namespace

bool told_to_stop() {
    if (PyErr_CheckSignals() != 0) return true;
    if (unwanted().empty() || !unwanted().contains(PyThread_get_thread_ident())) return false;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return true;
}

void bind_stopping(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "stop_thread",
        [](unsigned long ident, bool stop) {
            if (stop)
                unwanted().insert(ident);
            else
                unwanted().erase(ident);
        },
        "ident"_a, "stop"_a, "Work of this thread ends soon, as by Ctrl-C, until the request is taken back.");
}

}  // namespace infmcs::python
