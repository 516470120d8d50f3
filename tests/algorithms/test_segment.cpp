// Shared memory that comes to be when it is needed, and the words by which ranks find it.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node/ring.hpp"
#include "algorithms/node/segment.hpp"
#include "algorithms/node_mpi/host.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"

namespace {

using namespace leadline::node;

class NoProgress final : public Progress {
 public:
  int make() override { return 0; }
};

TEST_CASE("shared: memory that is not there is refused before it is written") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const Descriptor file(memfd_create("test", MFD_CLOEXEC));
  REQUIRE(ftruncate(file.number(), static_cast<off_t>(4 * page)) == 0);
  void* const memory =
      mmap(nullptr, 8 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  REQUIRE(memory != MAP_FAILED);
  Segment segment(static_cast<std::byte*>(memory), 8 * page, 1);
  CHECK(segment.reserve(0, 8 * page));  // as long as nobody has said that it is not
  segment.set_reserved(page);
  if (!populate(segment.of(0), page)) {
    MESSAGE("this kernel cannot say what is there");
    CHECK(!segment.reserve(0, 4 * page));
    return;
  }
  CHECK(segment.reserve(0, 4 * page));
  segment.of(0)[4 * page - 1] = std::byte{1};
  CHECK(!segment.reserve(0, 5 * page));
  CHECK(segment.reserved() == 4 * page);
}

TEST_CASE("shared: a ring that grows goes on to what is new") {
  constexpr std::size_t kLeast = Ring::kLeastSlots * 1024;
  Ring ring(kLeast);
  for (Step step = 5; step < 5 + Ring::kLeastSlots; ++step) {
    CHECK(!ring.goes_round(1024));
    CHECK(ring.place(step, 1024, step - 1, true) == (step - 5) * 1024);
  }
  CHECK(ring.goes_round(1024));
  ring.grow(2 * kLeast);
  CHECK(!ring.goes_round(1024));
  CHECK(ring.place(20, 1024, 19, true) == kLeast);
}

TEST_CASE("shared: a file is found by its words, and no other is taken for it") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  CHECK(Offer().none());
  CHECK(!Offer().take().open());
  Offer made = Offer::make(4 * page);
  REQUIRE(!made.none());
  Offer::Words words = made.words();
  CHECK(Offer(words).take().open());
  const Offer another = Offer::make(4 * page);
  CHECK(another.words()[3] != words[3]);
  // One word that is another's: of the process, the device, the file, the mark.
  for (std::size_t i = 1; i < words.size(); ++i) {
    Offer::Words wrong = words;
    ++wrong[i];
    CHECK(!Offer(wrong).take().open());
  }
  CHECK(made.take().open());
  CHECK(!Offer(words).take().open());  // it has gone
}

TEST_CASE("shared: ranks of one machine find that it is one") {
  CHECK(host_of_this_process() != 0);
  CHECK(host_of_this_process() == host_of_this_process());
  constexpr int kRanks = 3;
  const Survey survey(true, kLittle);
  const std::size_t bytes = Node::bytes_per_rank(survey);
  CHECK(Node::least_bytes_per_rank(survey) <= bytes);
  const std::unique_ptr<std::byte, void (*)(std::byte*)> memory(
      new (std::align_val_t{4096}) std::byte[kRanks * bytes]{},
      [](std::byte* all) { operator delete[](all, std::align_val_t{4096}); });
  std::vector<std::byte*> parts;
  for (int rank = 0; rank < kRanks; ++rank) {
    parts.push_back(memory.get() + static_cast<std::size_t>(rank) * bytes);
  }
  std::array<int, kRanks> found{};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      Node node(Segment(parts), rank, kRanks, survey, std::make_unique<NoProgress>());
      found.at(static_cast<std::size_t>(rank)) = read_one_clock(node) ? 1 : 0;
      barrier(node);
    });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const int one : found) CHECK(one == 1);
}

}  // namespace
