// What malloc would have learnt from the buffers of collectives that the library no longer carries
// out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace leadline::runtime {

inline void free_as_large(std::size_t bytes) {
  // Else the compiler leaves both calls out.
  void* volatile const buffer = std::malloc(bytes);
  std::free(buffer);
}

// Has malloc see a buffer of so many bytes freed, once for each that is larger than all before:
// libraries allocate one as large as the data in each reduction.
//
// glibc gives memory that is freed back to the kernel until something larger has been freed, and
// the faults of the next call on each page of it take longer than the collective: MPI_Exscan of
// 256 KiB under Intel MPI 2021.18 takes 300 us so, and 37 us where the memory is kept. A call that
// is left to the library would take longer because of larger ones that leadline has replaced. To
// have malloc keep memory from the start places the program's own buffers otherwise than without
// leadline: MPI_Allgather of 64 KiB in IMB took 35 us instead of 10 under Intel MPI.
inline void as_if_freed(std::size_t bytes) {
  // malloc's own first threshold.
  static std::atomic<std::size_t> most{std::size_t{128} << 10};
  if (bytes <= most.load(std::memory_order_relaxed)) [[likely]]
    return;
  most.store(bytes, std::memory_order_relaxed);
  free_as_large(bytes);
}

}  // namespace leadline::runtime
