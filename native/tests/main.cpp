// The native tests: plain functions that return on success and abort on failure, run under sanitizers.
#include "check.hpp"

namespace infmcs::tests {

void ged();
void mcs_tests();
void isomorphism();
void parallel();
void preparing();
void priced();
void scoring();
void searches();

}  // namespace infmcs::tests

int main() {
    infmcs::tests::ged();
    infmcs::tests::mcs_tests();
    infmcs::tests::isomorphism();
    infmcs::tests::parallel();
    infmcs::tests::preparing();
    infmcs::tests::priced();
    infmcs::tests::scoring();
    infmcs::tests::searches();
    std::puts("native tests passed");
}
