// Counts this program's allocations; darp/retrieval has the test that the count is right.

#include "tests/allocation_count.h"

DARP_COUNT_ALLOCATIONS;
