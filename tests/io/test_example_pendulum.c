/* The example must build against the public headers alone and succeed. */
#include "../../examples/pendulum.c"
