// Message buffers, touched before use, warm or cold.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace leadline::probe {

// Which part of an area the next operation uses: always the first one (warm caches), or each time
// one that has long left the caches (cold). All ranks step alike.
class Slots {
 public:
  Slots(std::size_t bytes, bool cold);
  std::size_t area_bytes() const { return stride_ * count_; }
  // Offset of the part in use.
  std::size_t offset() const { return stride_ * current_; }
  void step() {
    if (count_ > 1) current_ = current_ + 1 == count_ ? 0 : current_ + 1;
  }

 private:
  std::size_t stride_;
  std::size_t count_;
  std::size_t current_ = 0;
};

// Page-aligned memory with its slots. `data()` is the part in use.
class Buffer {
 public:
  Buffer(std::size_t bytes, bool cold);
  std::byte* data() { return memory_.get() + slots_.offset(); }
  void step() { slots_.step(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  Slots slots_;
  std::unique_ptr<std::byte[], decltype(&std::free)> memory_;
};

}  // namespace leadline::probe
