/* One target for libFuzzer; scripts/fuzz builds and runs it. */
#include "targets_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    FUZZ_TARGET(bytes, n);
    return 0;
}
