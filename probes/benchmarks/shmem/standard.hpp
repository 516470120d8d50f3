// Which standard the library's header declares: what came later than 1.4 is behind these.
#pragma once

#include <shmem.h>

#if SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 5)
#define LEADLINE_OPENSHMEM_1_5
#endif
