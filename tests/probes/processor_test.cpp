// What the processor says of itself is what the system says of it.
#include "algorithms/processor.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace leadline {
namespace {

#if defined(__x86_64__)
TEST_CASE("instruction sets are those that the system lists") {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> words;
  for (std::string line; words.empty() && std::getline(file, line);) {
    std::istringstream text(line);
    std::string word;
    if (text >> word && word == "flags") {
      while (text >> word) words.insert(word);
    }
  }
  REQUIRE_FALSE(words.empty());
  CHECK(processor.avx2 == (words.contains("avx2") && words.contains("fma")));
  CHECK(processor.avx512f == words.contains("avx512f"));
}
#endif

TEST_CASE("a body gives its result with whatever vectors") {
  int calls = 0;
  CHECK(by_widest_vectors([&]() LEADLINE_INLINED { return ++calls; }) == 1);
}

}  // namespace
}  // namespace leadline
