#include "algorithms/copy/copy.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "algorithms/caches.hpp"

using namespace leadline;

namespace {

// Memory that ends, and begins, where a page that nobody may touch lies.
class Fenced {
 public:
  explicit Fenced(std::size_t pages)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        bytes_(pages * page_),
        whole_(static_cast<unsigned char*>(
            mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(whole_ != MAP_FAILED);
    REQUIRE(mprotect(begin(), bytes_, PROT_READ | PROT_WRITE) == 0);
  }
  ~Fenced() { munmap(whole_, bytes_ + 2 * page_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  unsigned char* begin() const { return whole_ + page_; }
  unsigned char* end() const { return begin() + bytes_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t page_;
  std::size_t bytes_;
  unsigned char* whole_;
};

class Copies {
 public:
  explicit Copies(std::size_t pages) : source_(pages), target_(pages) {
    std::mt19937 random(7);
    std::generate_n(source_.begin(), source_.bytes(),
                    [&] { return static_cast<unsigned char>(random()); });
  }

  // Copies between these places of both; true when all that must be there is, and nothing else.
  bool right(CopyRoutine::Function* copy, std::size_t to, std::size_t from, std::size_t bytes) {
    std::memset(target_.begin(), kUntouched, target_.bytes());
    unsigned char* out = target_.begin() + to;
    const unsigned char* in = source_.begin() + from;
    const bool returned = copy(out, in, bytes) == out;
    return returned && std::equal(out, out + bytes, in) && untouched(target_.begin(), out) &&
           untouched(out + bytes, target_.end());
  }
  std::size_t bytes() const { return source_.bytes(); }

 private:
  static constexpr unsigned char kUntouched = 0xa5;
  static bool untouched(const unsigned char* begin, const unsigned char* end) {
    return std::all_of(begin, end, [](unsigned char byte) { return byte == kUntouched; });
  }

  Fenced source_;
  Fenced target_;
};

template <typename Check>
void for_each_routine(Check check) {
  for (const auto& [name, routine] : CopyRoutine::all()) {
    if (!routine->runs_here()) continue;
    CAPTURE(std::string(name));
    check(routine->function);
  }
}

}  // namespace

TEST_CASE("every copy routine of this processor is there") {
  const auto& all = CopyRoutine::all();
  for (const char* name : {"library", "words", "rep_movsb", "avx2", "avx512", "prefetch",
                           "non_temporal", "neon", "chosen"}) {
    CAPTURE(std::string(name));
    REQUIRE(all.contains(name));
    CHECK((all.at(name)->runs_here() || !all.at(name)->needs.empty()));
  }
  CHECK(all.at("library")->runs_here());
  CHECK(all.at("chosen")->runs_here());
}

TEST_CASE("what is chosen is the C library's own function until the caches are full") {
  const CopyRoutine& chosen = *CopyRoutine::all().at("chosen");
  const std::size_t last = read_caches().last;
  CopyRoutine::Function* const library = CopyRoutine::all().at("library")->function;
  for (std::size_t bytes = 1; bytes <= last / 2; bytes = 3 * bytes / 2 + 1) {
    CHECK((chosen.function_for(bytes) == library));
  }
  CHECK((chosen.function_for(last / 2 + 1) == copy_past_caches()));
  CHECK((copy_routine_for(last + 1) == copy_past_caches()));
}

TEST_CASE("copies of every size stay within pages that end where they do") {
  Copies copies(1);
  for_each_routine([&](CopyRoutine::Function* copy) {
    int wrong = 0;
    for (std::size_t bytes = 0; bytes <= 600; ++bytes) {
      const std::size_t last = copies.bytes() - bytes;
      wrong += !copies.right(copy, 0, 0, bytes);
      wrong += !copies.right(copy, last, last, bytes);
      wrong += !copies.right(copy, 0, last, bytes);
      wrong += !copies.right(copy, last, 0, bytes);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("copies are right from and to any alignment") {
  Copies copies(2);
  for_each_routine([&](CopyRoutine::Function* copy) {
    int wrong = 0;
    for (const std::size_t bytes : {1U, 15U, 33U, 100U, 129U, 191U, 257U, 1000U, 4096U}) {
      for (std::size_t offset = 0; offset < 64; ++offset) {
        wrong += !copies.right(copy, offset, 64 + 7 * offset % 64, bytes);
        wrong += !copies.right(copy, 64 + 7 * offset % 64, offset, bytes);
      }
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("long copies are right wherever they lie") {
  Copies copies(64);
  for_each_routine([&](CopyRoutine::Function* copy) {
    std::mt19937 random(11);
    int wrong = 0;
    for (int i = 0; i < 60; ++i) {
      const std::size_t bytes = random() % copies.bytes();
      const std::size_t room = copies.bytes() - bytes + 1;
      wrong += !copies.right(copy, random() % room, random() % room, bytes);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("copies far beyond the caches are right") {
  const std::vector<unsigned char> source = [] {
    std::vector<unsigned char> bytes((std::size_t{80} << 20) + 13);
    std::uint32_t state = 1;
    for (auto& byte : bytes) byte = static_cast<unsigned char>((state = state * 69069 + 1) >> 24U);
    return bytes;
  }();
  std::vector<unsigned char> target(source.size());
  for_each_routine([&](CopyRoutine::Function* copy) {
    std::fill(target.begin(), target.end(), 0);
    copy(target.data() + 5, source.data() + 3, source.size() - 5);
    CHECK(std::memcmp(target.data() + 5, source.data() + 3, source.size() - 5) == 0);
    CHECK((target[4] == 0));
  });
}
