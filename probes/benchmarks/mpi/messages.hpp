// What two-sided benchmarks share: messages that are under way together. Nothing here needs MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {

// Messages of one size, each with a place and a content of its own: one that is lost, comes twice
// or comes in the place of another shows.
class Messages {
 public:
  // Throws Unavailable for more memory than a look at a window can be worth.
  Messages(const Point& point, std::size_t bytes, int count)
      : bytes_(bytes), stride_(stride(bytes, count)), count_(count), buffer_(area(point)) {}

  std::byte* at(int index) { return buffer_.data() + stride_ * static_cast<std::size_t>(index); }
  int bytes() const { return static_cast<int>(bytes_); }
  int count() const { return count_; }
  // A sender steps after its messages have left, a receiver before they come: its last ones stay
  // in view.
  void step() { buffer_.step(); }

  // What `sender` is to send; nothing else has this content.
  void fill(std::uint64_t seed, int sender) {
    for (int i = 0; i < count_; ++i) fill_content(at(i), bytes_, content(seed, sender, i));
  }
  // What a receiver holds before anything has come.
  void clear(std::uint64_t seed) { fill(~seed, 0); }
  std::size_t wrong_bytes(std::uint64_t seed, int sender) {
    std::size_t wrong = 0;
    for (int i = 0; i < count_; ++i) wrong += wrong_bytes_of(i, seed, sender);
    return wrong;
  }
  std::size_t wrong_bytes_of(int index, std::uint64_t seed, int sender) {
    return wrong_content(at(index), bytes_, content(seed, sender, index));
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  static std::size_t stride(std::size_t bytes, int count) {
    const std::size_t stride = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    if (count > 1 && stride > kMostBytes / static_cast<std::size_t>(count)) {
      throw Unavailable(std::to_string(count) + " messages of " + std::to_string(bytes) +
                        " bytes at once need more than 1 GiB a rank: take fewer or smaller ones");
    }
    return stride;
  }
  static std::uint64_t content(std::uint64_t seed, int sender, int index) {
    return content_word(content_word(seed, static_cast<std::uint64_t>(sender)),
                        static_cast<std::uint64_t>(index));
  }
  Buffer area(const Point& point) const {
    return point.buffer(stride_ * static_cast<std::size_t>(count_));
  }

  std::size_t bytes_;
  std::size_t stride_;
  int count_;
  Buffer buffer_;
};

}  // namespace leadline::probe
