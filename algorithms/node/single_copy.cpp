#include "algorithms/node/single_copy.hpp"

#include <unistd.h>

#include <ctime>

#if defined(__linux__)
#include <sys/uio.h>
#endif

namespace leadline::node {

Introduction introduce_this_process() {
  // No other process has the same at the same address but by chance.
  static const std::uint64_t word = [] {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) << 32U ^
           static_cast<std::uint64_t>(time.tv_nsec) << 8U ^ static_cast<std::uint64_t>(getpid());
  }();
  return {.process = getpid(), .address = reinterpret_cast<std::uintptr_t>(&word), .word = word};
}

bool can_read_memory_of(const Introduction& other) {
  std::uint64_t found = ~other.word;
  return read_memory_of(other.process, other.address, &found, sizeof found) && found == other.word;
}

bool read_memory_of(std::int64_t process, std::uintptr_t from, void* to, std::size_t bytes) {
#if defined(__linux__)
  auto* out = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const iovec local{.iov_base = out, .iov_len = bytes};
    const iovec remote{.iov_base = reinterpret_cast<void*>(from), .iov_len = bytes};
    const ssize_t read = process_vm_readv(static_cast<pid_t>(process), &local, 1, &remote, 1, 0);
    if (read <= 0) return false;
    const auto done = static_cast<std::size_t>(read);
    out += done;
    from += done;
    bytes -= done;
  }
  return true;
#else
  static_cast<void>(process);
  static_cast<void>(from);
  static_cast<void>(to);
  return bytes == 0;
#endif
}

}  // namespace leadline::node
