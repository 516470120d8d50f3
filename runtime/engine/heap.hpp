// What malloc does with memory that is freed.
#pragma once

namespace leadline::runtime {

// Has this process keep up to 64 MiB of it for the next allocation, unless the environment says
// what malloc shall do (MALLOC_..., GLIBC_TUNABLES).
//
// Libraries allocate a buffer as large as the data in many a collective. glibc gives it back to the
// kernel when it is freed, until something larger has been freed, and the faults of the next call
// on each page of it take longer than the collective: MPI_Exscan of 256 KiB under Intel MPI
// 2021.18 takes 300 us so, and 37 us where the memory is kept. How long a call takes that is left
// to the library would depend on what leadline has replaced before.
void keep_freed_memory();

}  // namespace leadline::runtime
