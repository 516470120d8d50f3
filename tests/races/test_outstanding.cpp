// Non-blocking collectives with threads for ranks: many outstanding, completed in any order by
// ranks that are late, and by several threads of a rank.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "algorithms/node/outstanding_collectives.hpp"
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

// Memory of ranks, as they share it.
class Memory {
 public:
  explicit Memory(int size) {
    const std::size_t bytes = Outstanding::bytes_per_rank();
    for (int rank = 0; rank < size; ++rank) {
      parts_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(128, bytes)), std::free);
      std::memset(parts_.back().get(), 0, bytes);
    }
  }
  std::shared_ptr<Outstanding> rank(int rank) const {
    std::vector<std::byte*> parts;
    for (const auto& part : parts_) parts.push_back(part.get());
    return std::make_shared<Outstanding>(Segment(parts), rank, static_cast<int>(parts.size()), [] {
      return std::make_unique<Service>(std::make_unique<NoProgress>(), true);
    });
  }

 private:
  std::vector<std::unique_ptr<std::byte, decltype(&std::free)>> parts_;
};

std::uint64_t number(int turn, int from, std::size_t i) {
  return static_cast<std::uint64_t>(turn * 131 + from) * 1'000'003 + i;
}

std::uint64_t reduced(int turn, std::size_t i, int size) {
  std::uint64_t all = number(turn, 0, i);
  for (int from = 1; from < size; ++from) all = all * 3 + number(turn, from, i);
  return all;
}

// One collective of a rank: an allreduce, a reduce_scatter_block or a barrier, by turns.
class Call {
 public:
  Call(int turn, int rank, int size) : turn_(turn), rank_(rank), size_(size) {
    constexpr std::array<std::size_t, 4> kCounts{1, 7, 8, 16};
    const std::size_t count = kCounts[static_cast<std::size_t>(turn / 3) % kCounts.size()];
    const bool scatters = turn % 3 == 1;
    in_.resize(scatters ? count * static_cast<std::size_t>(size) : count);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = number(turn, rank, i);
    out_.resize(count);
    const std::size_t bytes = count * sizeof(std::uint64_t);
    if (turn % 3 == 0) {
      operation_ = std::make_unique<OutstandingAllreduce<Ordered>>(Ordered(), in_.data(),
                                                                   out_.data(), bytes);
    } else if (scatters) {
      operation_ = std::make_unique<OutstandingReduceScatterBlock<Ordered>>(
          Ordered(), in_.data(), out_.data(), bytes, size);
    } else {
      operation_ = std::make_unique<OutstandingBarrier>();
      out_.clear();
    }
  }
  bool start(const std::shared_ptr<Outstanding>& all) {
    const bool started = Outstanding::start(all, *operation_);
    // What was given is the program's again for reading only, but nobody reads it.
    std::fill(in_.begin(), in_.end(), 0);
    return started;
  }
  bool is_wrong() {
    if (operation_->complete() != 0) return true;
    const std::size_t first = turn_ % 3 == 1 ? static_cast<std::size_t>(rank_) * out_.size() : 0;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i] != reduced(turn_, first + i, size_)) return true;
    }
    return false;
  }

 private:
  int turn_;
  int rank_;
  int size_;
  std::vector<std::uint64_t> in_;
  std::vector<std::uint64_t> out_;
  std::unique_ptr<Outstanding::Operation> operation_;
};

struct Count {
  int wrong = 0;
  int left = -1;  // the first turn that was left to the library
};

// Starts all, and completes them by chance, with up to `most` outstanding.
Count run(const std::shared_ptr<Outstanding>& all, int rank, int size, int turns,
          std::size_t most) {
  std::mt19937 chance(static_cast<unsigned>(rank) + 1);
  std::vector<std::unique_ptr<Call>> calls;
  Count count;
  const auto complete_one = [&] {
    std::swap(calls[chance() % calls.size()], calls.back());
    count.wrong += calls.back()->is_wrong() ? 1 : 0;
    calls.pop_back();
  };
  for (int turn = 0; turn < turns; ++turn) {
    calls.push_back(std::make_unique<Call>(turn, rank, size));
    if (!calls.back()->start(all)) {
      calls.pop_back();
      if (count.left < 0) count.left = turn;
    } else if (count.left >= 0) {
      ++count.wrong;  // none may come after one that was left
    }
    if (chance() % 64 == 0) std::this_thread::yield();
    while (calls.size() > most || (!calls.empty() && chance() % 2 == 0)) complete_one();
  }
  while (!calls.empty()) complete_one();
  return count;
}

std::vector<Count> run_all(int size, int turns, std::size_t most) {
  const Memory memory(size);
  std::vector<Count> counts(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      counts[static_cast<std::size_t>(rank)] = run(memory.rank(rank), rank, size, turns, most);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return counts;
}

TEST_CASE("outstanding: few at a time are never left, whatever order they end in") {
  for (int size = 2; size <= 4; ++size) {
    CAPTURE(size);
    for (const Count& count : run_all(size, 600, 6)) {
      CHECK(count.wrong == 0);
      CHECK(count.left == -1);
    }
  }
}

TEST_CASE("outstanding: with very many, all ranks leave the same ones") {
  for (int size = 2; size <= 4; ++size) {
    CAPTURE(size);
    const std::vector<Count> counts = run_all(size, 600, 400);
    for (const Count& count : counts) {
      CHECK(count.wrong == 0);
      CHECK(count.left == counts.front().left);
    }
  }
}

TEST_CASE("outstanding: a start waits for nobody, and one that is too far ahead ends it for all") {
  const Memory memory(2);
  const std::shared_ptr<Outstanding> ahead = memory.rank(0);
  const std::shared_ptr<Outstanding> late = memory.rank(1);
  std::vector<std::unique_ptr<Call>> of_ahead;
  constexpr auto kPlaces = static_cast<int>(Outstanding::kPlaces);
  for (int turn = 0; turn < kPlaces; ++turn) {
    of_ahead.push_back(std::make_unique<Call>(turn, 0, 2));
    CHECK(of_ahead.back()->start(ahead));
  }
  Call too_many(kPlaces, 0, 2);
  CHECK_FALSE(too_many.start(ahead));
  for (int turn = 0; turn < kPlaces; ++turn) {
    Call call(turn, 1, 2);
    CHECK(call.start(late));
    CHECK_FALSE(call.is_wrong());
  }
  // There is room again, but the other one has gone the other way.
  Call next(kPlaces, 1, 2);
  CHECK_FALSE(next.start(late));
  for (const auto& call : of_ahead) CHECK_FALSE(call->is_wrong());
}

TEST_CASE("outstanding: one that the program completes last holds up nothing") {
  const Memory memory(2);
  std::vector<std::thread> threads;
  std::array<int, 2> wrong{};
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      const std::shared_ptr<Outstanding> all = memory.rank(rank);
      Call first(0, rank, 2);
      int& count = wrong[static_cast<std::size_t>(rank)];
      count += first.start(all) ? 0 : 1;
      for (int turn = 1; turn < 400; ++turn) {
        Call call(turn, rank, 2);
        count += call.start(all) ? 0 : 1;
        count += call.is_wrong() ? 1 : 0;
      }
      count += first.is_wrong() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 2>{0, 0});
}

// One thread starts, others complete, as with MPI_THREAD_MULTIPLE.
TEST_CASE("outstanding: several threads of a rank complete them") {
  constexpr int kTurns = 240;
  constexpr int kThreads = 3;
  const Memory memory(2);
  std::array<std::atomic<int>, 2> wrong{};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      const std::shared_ptr<Outstanding> all = memory.rank(rank);
      std::atomic<int>& count = wrong[static_cast<std::size_t>(rank)];
      for (int turn = 0; turn < kTurns; turn += kThreads) {
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
          auto call = std::make_unique<Call>(turn + i, rank, 2);
          count += call->start(all) ? 0 : 1;
          threads.emplace_back([&count, call = std::move(call)] { count += call->is_wrong(); });
        }
        for (std::thread& thread : threads) thread.join();
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
}

}  // namespace
