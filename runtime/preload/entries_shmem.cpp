// The same of OpenSHMEM.
#include "runtime/shared/entry.hpp"

namespace leadline::runtime {

LEADLINE_ENTRY(shmem_engine, start_pes, 1)
LEADLINE_ENTRY(shmem_engine, shmem_finalize, 0)
LEADLINE_ENTRY(shmem_engine, shmem_init, 0)
LEADLINE_ENTRY(shmem_engine, shmem_init_thread, 2)

LEADLINE_ENTRY(shmem_engine, shmem_barrier, 4)
LEADLINE_ENTRY(shmem_engine, shmem_barrier_all, 0)
LEADLINE_ENTRY(shmem_engine, shmem_sync, 4)
LEADLINE_ENTRY(shmem_engine, shmem_sync_all, 0)

LEADLINE_ENTRY(shmem_engine, shmem_alltoall32, 7)
LEADLINE_ENTRY(shmem_engine, shmem_alltoall64, 7)
LEADLINE_ENTRY(shmem_engine, shmem_alltoalls32, 9)
LEADLINE_ENTRY(shmem_engine, shmem_alltoalls64, 9)
LEADLINE_ENTRY(shmem_engine, shmem_broadcast32, 8)
LEADLINE_ENTRY(shmem_engine, shmem_broadcast64, 8)
LEADLINE_ENTRY(shmem_engine, shmem_collect32, 7)
LEADLINE_ENTRY(shmem_engine, shmem_collect64, 7)
LEADLINE_ENTRY(shmem_engine, shmem_fcollect32, 7)
LEADLINE_ENTRY(shmem_engine, shmem_fcollect64, 7)

#define REDUCTION(type, operation) \
  LEADLINE_ENTRY(shmem_engine, shmem_##type##_##operation##_to_all, 8)
#define ARITHMETIC_REDUCTIONS(type) \
  REDUCTION(type, sum)              \
  REDUCTION(type, prod)
#define ORDERED_REDUCTIONS(type) \
  ARITHMETIC_REDUCTIONS(type)    \
  REDUCTION(type, max)           \
  REDUCTION(type, min)
#define INTEGER_REDUCTIONS(type) \
  ORDERED_REDUCTIONS(type)       \
  REDUCTION(type, and)           \
  REDUCTION(type, or)            \
  REDUCTION(type, xor)

INTEGER_REDUCTIONS(short)
INTEGER_REDUCTIONS(int)
INTEGER_REDUCTIONS(long)
INTEGER_REDUCTIONS(longlong)
ORDERED_REDUCTIONS(float)
ORDERED_REDUCTIONS(double)
ORDERED_REDUCTIONS(longdouble)
ARITHMETIC_REDUCTIONS(complexf)
ARITHMETIC_REDUCTIONS(complexd)

}  // namespace leadline::runtime
