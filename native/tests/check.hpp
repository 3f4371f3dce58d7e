#pragma once

#include <cstdio>
#include <cstdlib>

// Unlike assert, it stays in every build.
#define CHECK(claim)                                                                 \
    do {                                                                             \
        if (!(claim)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
            std::abort();                                                            \
        }                                                                            \
    } while (false)
