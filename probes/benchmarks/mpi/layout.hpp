// Where the bytes of a message lie in memory, with gaps between them. Nothing here needs MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/content.hpp"

namespace leadline::probe {

constexpr std::size_t kWord = 8;

// Blocks of `block` bytes, with as many bytes of gaps between them; contiguous: one, without gaps.
class Layout {
 public:
  struct Piece {
    std::size_t offset;  // within its block
    std::size_t bytes;
  };

  // `name` is contiguous, vector, indexed or struct; `seed` draws the gaps of indexed.
  Layout(const std::string& name, std::size_t bytes, std::size_t block, std::uint64_t seed)
      : block_(block), bytes_(bytes), pieces_{{0, block}} {
    if (name == "contiguous") {
      area_ = bytes;
      starts_ = {0};
      pieces_ = {{0, bytes}};
      return;
    }
    const std::size_t count = bytes / block;
    area_ = 2 * bytes;
    for (std::size_t i = 0; i < count; ++i) starts_.push_back(2 * i * block);
    if (name == "indexed") {
      for (std::size_t i = 0; i < count; ++i) {
        starts_[i] += content_word(seed, i) % (block / kWord + 1) * kWord;
      }
    } else if (name == "struct") {
      split_into_members();
    } else if (name != "vector") {
      throw std::invalid_argument("layout=" + name + " is none of mpi/datatypes");
    }
  }

  std::size_t count() const { return starts_.size(); }
  std::size_t block() const { return block_; }
  std::size_t bytes() const { return bytes_; }
  // Of the memory in which they lie.
  std::size_t area_bytes() const { return area_; }
  std::size_t start(std::size_t index) const { return starts_[index]; }
  // What a block consists of: one piece, or the members of a structure.
  const std::vector<Piece>& pieces() const { return pieces_; }

  void gather(const std::byte* area, std::byte* packed) const {
    for (const std::size_t start : starts_) {
      for (const Piece& piece : pieces_) {
        copy(packed, area + start + piece.offset, piece.bytes);
        packed += piece.bytes;
      }
    }
  }
  void scatter(const std::byte* packed, std::byte* area) const {
    for (const std::size_t start : starts_) {
      for (const Piece& piece : pieces_) {
        copy(area + start + piece.offset, packed, piece.bytes);
        packed += piece.bytes;
      }
    }
  }

 private:
  // A call of memcpy would cost more than a small piece does.
  static void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    switch (bytes) {
      case 0:
        return;
      case 4:
        std::memcpy(to, from, 4);
        return;
      case 8:
        std::memcpy(to, from, 8);
        return;
      case 16:
        std::memcpy(to, from, 16);
        return;
      case 32:
        std::memcpy(to, from, 32);
        return;
      case 64:
        std::memcpy(to, from, 64);
        return;
      default:
        std::memcpy(to, from, bytes);
    }
  }
  // Half of the block in words of 8 bytes, half of the rest in 4 bytes, the rest in single bytes,
  // with a gap after each.
  void split_into_members() {
    const std::size_t words = block_ / 2 / 8 * 8;
    const std::size_t halves = (block_ - words) / 2 / 4 * 4;
    const std::size_t gap = block_ / 4 / 4 * 4;
    pieces_ = {
        {0, words}, {words + gap, halves}, {words + halves + 2 * gap, block_ - words - halves}};
  }

  std::size_t block_;
  std::size_t bytes_;
  std::size_t area_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> starts_;
};

}  // namespace leadline::probe
