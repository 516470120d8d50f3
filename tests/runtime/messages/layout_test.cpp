// Layouts of blocks, and packing by them, against one byte after the other.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "runtime/messages/layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace leadline::runtime;

namespace {

Blocks every(std::size_t times, std::size_t bytes, std::ptrdiff_t distance) {
  Blocks one;
  Blocks all;
  REQUIRE(one.add({.offset = 0, .bytes = bytes}));
  REQUIRE(all.add(one, 0, times, distance));
  return all;
}

// Packs and unpacks `bytes` of elements with these blocks and compares each byte, gaps as well.
void check_copies(const Blocks& blocks, std::ptrdiff_t extent, std::size_t bytes) {
  constexpr std::size_t kRoom = 1 << 16;
  constexpr std::ptrdiff_t kOrigin = kRoom / 2;
  const Layout layout(blocks, extent);
  std::vector<unsigned char> elements(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i)
    elements[i] = static_cast<unsigned char>(i * 31 + i / 251);
  std::vector<std::size_t> places;
  for (std::ptrdiff_t base = kOrigin; places.size() < bytes; base += extent) {
    for (const Block& block : blocks.all()) {
      for (std::size_t i = 0; i < block.bytes && places.size() < bytes; ++i) {
        places.push_back(static_cast<std::size_t>(base + block.offset) + i);
      }
    }
  }
  std::vector<unsigned char> packed(bytes + 8, 0xAA);
  pack(layout, elements.data() + kOrigin, packed.data(), bytes);
  bool right = std::all_of(packed.begin() + static_cast<std::ptrdiff_t>(bytes), packed.end(),
                           [](unsigned char byte) { return byte == 0xAA; });
  for (std::size_t i = 0; i < bytes; ++i) right = right && packed[i] == elements[places[i]];
  CHECK(right);
  std::vector<unsigned char> expected(kRoom, 0x55);
  std::vector<unsigned char> unpacked(kRoom, 0x55);
  for (std::size_t i = 0; i < bytes; ++i) expected[places[i]] = packed[i];
  unpack(layout, packed.data(), unpacked.data() + kOrigin, bytes);
  CHECK(unpacked == expected);
}

}  // namespace

TEST_CASE("neighbouring blocks become one") {
  Blocks blocks;
  CHECK(blocks.add({.offset = 0, .bytes = 8}));
  CHECK(blocks.add({.offset = 8, .bytes = 4}));
  CHECK(blocks.add({.offset = 20, .bytes = 4}));
  REQUIRE(blocks.all().size() == 2);
  CHECK(blocks.all()[0].bytes == 12);
}

TEST_CASE("no more blocks than there is room for") {
  Blocks one;
  CHECK(one.add({.offset = 0, .bytes = 4}));
  Blocks all;
  CHECK(all.add(one, 0, Blocks::kMost, 8));
  CHECK_FALSE(all.add({.offset = -8, .bytes = 4}));
  // Without gaps they are one.
  Blocks dense;
  CHECK(dense.add(one, 0, 10 * Blocks::kMost, 4));
  CHECK(dense.all().size() == 1);
}

TEST_CASE("equal blocks at one distance are one run") {
  const Layout layout(every(1000, 8, 24), 24000);
  REQUIRE(layout.runs.size() == 1);
  CHECK(layout.runs[0].blocks == 1000);
  CHECK(layout.runs[0].distance == 24);
  CHECK(layout.offsets.empty());
  CHECK(layout.bytes == 8000);
  CHECK_FALSE(layout.dense());
}

TEST_CASE("rows of a face are a run each where they are long") {
  Blocks face;
  CHECK(face.add(every(16, 8, 64), 0, 4, 8192));
  const Layout layout(face, 65536);
  CHECK(layout.runs.size() == 4);
  CHECK(layout.offsets.empty());
}

TEST_CASE("blocks without order are a list") {
  Blocks blocks;
  for (const std::ptrdiff_t offset : {0, 40, 16, 200, 96}) {
    CHECK(blocks.add({.offset = offset, .bytes = 8}));
  }
  const Layout layout(blocks, 208);
  REQUIRE(layout.runs.size() == 1);
  CHECK(layout.offsets.size() == 5);
  CHECK(layout.least_offset == 0);
  CHECK(layout.longest_block == 8);
}

TEST_CASE("what has no gaps is dense") {
  CHECK(Layout(every(10, 8, 8), 80).dense());
  CHECK_FALSE(Layout(every(10, 8, 8), 88).dense());
  Blocks later;
  CHECK(later.add({.offset = 8, .bytes = 8}));
  CHECK_FALSE(Layout(later, 8).dense());
  CHECK(Layout(Blocks{}, 8).dense());
}

TEST_CASE("every length of block is copied, and every part of the data") {
  for (const std::size_t bytes : {1, 3, 4, 8, 12, 16, 24, 32, 64, 100}) {
    for (const std::size_t part : {0, 1, 7, 8, 9, 63, 200, 1000}) {
      check_copies(every(13, bytes, 111), 1500, std::min(part, 26 * bytes));
      check_copies(every(1, bytes, 1), 120, std::min(part, 26 * bytes));
      check_copies(every(5, bytes, -130), 7, std::min(part, 10 * bytes));
    }
  }
}

TEST_CASE("any blocks are copied") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Blocks blocks;
    std::ptrdiff_t offset = 0;
    std::size_t bytes = 0;
    for (unsigned i = 0; i < 1 + random() % 40; ++i) {
      const std::size_t length = random() % 3 == 0 ? 1 + random() % 20 : 8;
      offset += static_cast<std::ptrdiff_t>(random() % 4 == 0 ? random() % 50 : 8);
      REQUIRE(blocks.add({.offset = offset, .bytes = length}));
      offset += static_cast<std::ptrdiff_t>(length);
      bytes += length;
    }
    check_copies(blocks, offset + 8, 1 + random() % (2 * bytes));
  }
}
