// Persistent collectives with threads for ranks, as in test_races.cpp: started and completed again
// and again, by ranks that come at other times each.
#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "algorithms/node/persistent_collectives.hpp"
#include "algorithms/node/reducer.hpp"

namespace {

using namespace leadline::node;

class NoProgress final : public Progress {
 public:
  int make() override { return 0; }
};

// Shows the order of the operands: left times 3 plus right.
class Ordered final : public Reducer {
 public:
  Ordered() : Reducer(nullptr, sizeof(std::uint64_t)) {}
  static int code() { return 0; }

 private:
  void combine_without_kernel(const void* left, const void* right, void* out,
                              std::size_t bytes) override {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t operands[2];
      std::memcpy(&operands[0], static_cast<const std::byte*>(left) + at, sizeof operands[0]);
      std::memcpy(&operands[1], static_cast<const std::byte*>(right) + at, sizeof operands[1]);
      operands[0] = operands[0] * 3 + operands[1];
      std::memcpy(static_cast<std::byte*>(out) + at, &operands[0], sizeof operands[0]);
    }
  }
};

using Numbers = std::vector<std::uint64_t>;

std::uint64_t number(int turn, int from, int to, std::size_t i) {
  return static_cast<std::uint64_t>((turn * 131 + from) * 137 + to) * 1'000'003 + i;
}

std::uint64_t reduced(int turn, int to, std::size_t i, int size) {
  std::uint64_t all = number(turn, 0, to, i);
  for (int from = 1; from < size; ++from) all = all * 3 + number(turn, from, to, i);
  return all;
}

std::byte* bytes_of(Numbers& numbers) { return reinterpret_cast<std::byte*>(numbers.data()); }

// Memory of ranks, as they share it.
class Memory {
 public:
  Memory(int size, std::size_t given) {
    const std::size_t bytes = Persistent::bytes_per_rank(size, given);
    for (int rank = 0; rank < size; ++rank) {
      parts_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(128, bytes)), std::free);
      std::memset(parts_.back().get(), 0, bytes);
    }
  }
  Segment segment() const {
    std::vector<std::byte*> parts;
    for (const auto& part : parts_) parts.push_back(part.get());
    return Segment(parts);
  }

 private:
  std::vector<std::unique_ptr<std::byte, decltype(&std::free)>> parts_;
};

Service service() { return {std::make_unique<NoProgress>(), true}; }

constexpr int kTurns = 200;

// `fill(turn)` before each start, `wrong(turn)` after each completion.
template <typename Fill, typename Wrong>
int count_wrong(Persistent& persistent, int rank, const Fill& fill, const Wrong& wrong) {
  std::mt19937 delays(static_cast<unsigned>(rank));
  int all = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    fill(turn);
    for (unsigned i = delays() % 4 == 0 ? delays() % 8 : 0; i > 0; --i) sched_yield();
    persistent.start();
    for (unsigned i = delays() % 4; i > 0; --i) persistent.arrived();
    all += persistent.complete() == 0 && !wrong(turn) ? 0 : 1;
  }
  return all;
}

int allreduce(Persistent::Ranks ranks, std::size_t count, bool in_place) {
  const int rank = ranks.rank;
  const int size = ranks.size;
  Numbers in(count);
  Numbers out(count);
  Numbers& own = in_place ? out : in;
  PersistentAllreduce<Ordered> persistent(std::move(ranks), service(), Ordered(), bytes_of(own),
                                          bytes_of(out), count * sizeof(std::uint64_t));
  return count_wrong(
      persistent, rank,
      [&](int turn) {
        for (std::size_t i = 0; i < count; ++i) own[i] = number(turn, rank, 0, i);
      },
      [&](int turn) {
        for (std::size_t i = 0; i < count; ++i) {
          if (out[i] != reduced(turn, 0, i, size)) return true;
        }
        return false;
      });
}

int reduce_scatter_block(Persistent::Ranks ranks, std::size_t count, bool in_place) {
  const int rank = ranks.rank;
  const int size = ranks.size;
  Numbers in(count * static_cast<std::size_t>(size));
  Numbers out(in.size());
  Numbers& own = in_place ? out : in;
  PersistentReduceScatterBlock<Ordered> persistent(std::move(ranks), service(), Ordered(),
                                                   bytes_of(own), bytes_of(out),
                                                   count * sizeof(std::uint64_t));
  return count_wrong(
      persistent, rank,
      [&](int turn) {
        for (std::size_t i = 0; i < own.size(); ++i) {
          own[i] = number(turn, rank, static_cast<int>(i / count), i % count);
        }
      },
      [&](int turn) {
        for (std::size_t i = 0; i < count; ++i) {
          if (out[i] != reduced(turn, rank, i, size)) return true;
        }
        return false;
      });
}

// Allgather, or alltoall.
int moved(Persistent::Ranks ranks, std::size_t count, bool in_place, bool to_each) {
  const int rank = ranks.rank;
  const auto size = static_cast<std::size_t>(ranks.size);
  const auto me = static_cast<std::size_t>(rank);
  const std::size_t block = count * sizeof(std::uint64_t);
  Numbers in(to_each ? count * size : count);
  Numbers out(count * size);
  std::uint64_t* const own = !in_place ? in.data() : out.data() + (to_each ? 0 : me * count);
  std::byte* const from = reinterpret_cast<std::byte*>(own);
  std::unique_ptr<Persistent> persistent;
  if (to_each) {
    persistent = std::make_unique<PersistentAlltoall>(std::move(ranks), service(), from,
                                                      bytes_of(out), block);
  } else {
    persistent = std::make_unique<PersistentAllgather>(std::move(ranks), service(), from,
                                                       bytes_of(out), block);
  }
  return count_wrong(
      *persistent, rank,
      [&](int turn) {
        for (std::size_t i = 0; i < in.size(); ++i) {
          own[i] = number(turn, rank, static_cast<int>(i / count), i % count);
        }
      },
      [&](int turn) {
        for (std::size_t i = 0; i < out.size(); ++i) {
          const int other = static_cast<int>(i / count);
          if (out[i] != number(turn, other, to_each ? rank : 0, i % count)) return true;
        }
        return false;
      });
}

int call(int kind, Persistent::Ranks ranks, std::size_t count, bool in_place) {
  switch (kind) {
    case 0:
      return allreduce(std::move(ranks), count, in_place);
    case 1:
      return reduce_scatter_block(std::move(ranks), count, in_place);
    case 2:
    case 3:
      return moved(std::move(ranks), count, in_place, kind == 3);
    default: {
      const int rank = ranks.rank;
      PersistentBarrier persistent(std::move(ranks), service());
      return count_wrong(persistent, rank, [](int) {}, [](int) { return false; });
    }
  }
}

TEST_CASE("persistent collectives by 2 to 4 ranks that need nobody to wait for them") {
  for (int size = 2; size <= 4; ++size) {
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{300}, std::size_t{2500}}) {
      for (int kind = 0; kind < 5; ++kind) {
        for (const bool in_place : {false, true}) {
          CAPTURE(size);
          CAPTURE(count);
          CAPTURE(kind);
          CAPTURE(in_place);
          const Memory memory(size, count * sizeof(std::uint64_t) * static_cast<std::size_t>(size));
          // What each kind really gives; more room does no harm.
          std::vector<int> wrong(static_cast<std::size_t>(size), -1);
          std::vector<std::thread> threads;
          for (int rank = 0; rank < size; ++rank) {
            threads.emplace_back([&, rank] {
              wrong[static_cast<std::size_t>(rank)] = call(
                  kind, {.segment = memory.segment(), .rank = rank, .size = size}, count, in_place);
            });
          }
          for (std::thread& thread : threads) thread.join();
          CHECK(wrong == std::vector<int>(static_cast<std::size_t>(size), 0));
        }
      }
    }
  }
}

// Rank 0 starts twice as much as others have completed, and never waits in that.
TEST_CASE("a start waits for nobody") {
  const Memory memory(2, sizeof(std::uint64_t));
  std::uint64_t in[2] = {1, 2};
  std::uint64_t out[2] = {0, 0};
  std::vector<std::unique_ptr<Persistent>> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.push_back(std::make_unique<PersistentAllreduce<Ordered>>(
        Persistent::Ranks{.segment = memory.segment(), .rank = rank, .size = 2}, service(),
        Ordered(), reinterpret_cast<const std::byte*>(&in[rank]),
        reinterpret_cast<std::byte*>(&out[rank]), sizeof in[0]));
  }
  ranks[0]->start();
  CHECK_FALSE(ranks[0]->arrived());
  ranks[1]->start();
  // The first one completes and starts again before the second one has looked.
  CHECK(ranks[0]->arrived());
  CHECK(ranks[0]->complete() == 0);
  CHECK(out[0] == 5);
  in[0] = 10;
  ranks[0]->start();
  CHECK_FALSE(ranks[0]->arrived());
  CHECK(ranks[1]->complete() == 0);
  CHECK(out[1] == 5);
}

}  // namespace
