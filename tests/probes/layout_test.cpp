// Where data with gaps lie: as many bytes as there are, each in one place, gaps as long as data.
#include "benchmarks/mpi/layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace leadline::probe;

namespace {

constexpr std::byte kGap{0xff};

// The area with byte i of the data, i < 255, at its place, and gaps between.
std::vector<std::byte> laid_out(const Layout& layout) {
  std::vector<std::byte> packed(layout.bytes());
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i);
  std::vector<std::byte> area(layout.area_bytes(), kGap);
  layout.scatter(packed.data(), area.data());
  return area;
}

std::vector<int> first_block(const std::string& name, std::size_t block) {
  const std::vector<std::byte> area = laid_out(Layout(name, 2 * block, block, 1));
  std::vector<int> values;
  for (std::size_t i = 0; i < 2 * block; ++i) {
    values.push_back(area[i] == kGap ? -1 : static_cast<int>(area[i]));
  }
  return values;
}

}  // namespace

TEST_CASE("every byte has one place, and what was scattered is gathered again") {
  for (const std::string name : {"contiguous", "vector", "indexed", "struct"}) {
    for (const std::size_t block : {8U, 16U, 24U, 40U, 64U}) {
      const Layout layout(name, 3 * block, block, 1);
      const std::vector<std::byte> area = laid_out(layout);
      CHECK(area.size() == (name == "contiguous" ? 1 : 2) * layout.bytes());
      const auto gaps = static_cast<std::size_t>(std::ranges::count(area, kGap));
      CHECK(gaps == area.size() - layout.bytes());
      std::vector<std::byte> packed(layout.bytes());
      layout.gather(area.data(), packed.data());
      for (std::size_t i = 0; i < packed.size(); ++i) {
        REQUIRE(packed[i] == static_cast<std::byte>(i));
      }
    }
  }
}

TEST_CASE("a vector's blocks and gaps take turns") {
  CHECK(first_block("vector", 8) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7,  //
                                                     -1, -1, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("a structure's members are words, halves and bytes, with a gap after each") {
  CHECK(first_block("struct", 16) == std::vector<int>{0,  1,  2,  3,  4,  5,  6,  7,  //
                                                      -1, -1, -1, -1,                 //
                                                      8,  9,  10, 11,                 //
                                                      -1, -1, -1, -1,                 //
                                                      12, 13, 14, 15,                 //
                                                      -1, -1, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("gaps at random differ, on every rank alike") {
  const Layout layout("indexed", 4096, 64, 1);
  const Layout same("indexed", 4096, 64, 1);
  bool equal = true;
  for (std::size_t i = 0; i + 1 < layout.count(); ++i) {
    CHECK(layout.start(i) == same.start(i));
    CHECK(layout.start(i) % kWord == 0);
    equal = equal && layout.start(i + 1) - layout.start(i) == 128;
  }
  CHECK(!equal);
}

TEST_CASE("an unknown layout is refused by name") {
  CHECK_THROWS_WITH(Layout("round", 64, 8, 1), "layout=round is none of mpi/datatypes");
}
