// Memory that the ranks of one node share, without the library under test.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/world.hpp"

namespace leadline::probe {

// Cache lines, and bytes, that all ranks of a node see; none where they cannot share memory, as in
// containers of their own. It leaves no name behind, however the probe ends.
class SharedPage {
 public:
  using Word = std::atomic<std::uint64_t>;

  // Collective over the ranks of each node, which all get `lines`, and `bytes` beside them.
  SharedPage(World& world, std::size_t lines, std::size_t bytes = 0);
  ~SharedPage();
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  bool is_shared() const { return memory_ != nullptr; }
  // The first word of a line, far enough from the next for any prefetcher. Begins as 0.
  Word& word(std::size_t line) const;
  // The bytes, from a page of their own on.
  std::byte* data() const;

 private:
  // The line before the bytes, by which a member knows the leader's memory.
  Word& mark() const;
  bool create();
  bool attach(int pid, int file, std::uint64_t mark);
  bool map(int file);
  void unmap();

  std::size_t data_at_;
  std::size_t bytes_;
  void* memory_ = nullptr;
  int file_ = -1;
};

}  // namespace leadline::probe
