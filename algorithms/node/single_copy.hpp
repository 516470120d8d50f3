// Memory of another process, read by the kernel: data are copied once, not into slots and out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace leadline::node {

// A process and a word in it: another one can read it if it finds the word's value there.
// Containers often forbid it, and give processes numbers that mean others elsewhere.
struct Introduction {
  std::int64_t process;
  std::uintptr_t address;
  std::uint64_t word;
};

Introduction introduce_this_process();
bool can_read_memory_of(const Introduction& other);

// Whether all of it could be read.
bool read_memory_of(std::int64_t process, std::uintptr_t from, void* to, std::size_t bytes);

}  // namespace leadline::node
