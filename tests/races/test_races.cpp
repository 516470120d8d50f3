// The engine in shared memory with threads for ranks: what checks memory accesses sees those of all
// of them then, as it does not for processes. All collectives, one after the other without a
// barrier, of every size from a line to several slots.
#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "algorithms/caches.hpp"
#include "algorithms/node/node.hpp"
#include "algorithms/node/node_collectives.hpp"

namespace {

using namespace leadline::node;

class NoProgress final : public Progress {
 public:
  int make() override { return 0; }
};

class Sum final : public Reducer {
 public:
  Sum() : Reducer(combine_kernel(Number::kUint64, Operator::kSum), sizeof(std::uint64_t)) {}

 private:
  void combine_without_kernel(const void*, const void*, void*, std::size_t) override {}
};

using Numbers = std::vector<std::uint64_t>;

std::uint64_t number(int round, int from, int to, std::size_t i) {
  return static_cast<std::uint64_t>((round * 131 + from) * 137 + to) * 1'000'003 + i;
}

Numbers numbers(int round, int from, int to, std::size_t count) {
  Numbers all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = number(round, from, to, i);
  return all;
}

// One rank: what it calls, and whether that delivers what it must.
class Rank {
 public:
  Rank(int rank, int size, const std::vector<std::byte*>& parts, const Survey& survey)
      : node_(Segment(parts), rank, size, survey, std::make_unique<NoProgress>()) {}

  int count_wrong(int rounds) {
    std::mt19937 random(7);  // the same for all ranks
    std::mt19937 delays(static_cast<unsigned>(node_.rank()));
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      const unsigned kind = random() % 16;
      const std::size_t most = random() % 8 == 0 ? 3000 : random() % 2 == 0 ? 500 : 30;
      const std::size_t count = 1 + random() % most;
      const int root = static_cast<int>(random() % static_cast<unsigned>(node_.size()));
      for (unsigned i = delays() % 4 == 0 ? delays() % 8 : 0; i > 0; --i) sched_yield();
      wrong += call(kind, round, count, root) ? 0 : 1;
    }
    return wrong;
  }
  // Of alltoallv alone, with each rank in turn refusing in between.
  int count_wrong_alltoallv(int rounds) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::size_t count = round % 3 == 2 ? 2000 : 5;
      wrong += call(14, round, count, 0) ? 0 : 1;
      const Places places = uneven(count, node_.rank(), false);
      const Numbers in(count * static_cast<std::size_t>(node_.size()), 1);
      Numbers out(in.size());
      const bool refuses = node_.rank() == round % node_.size();
      const Delivered delivered =
          alltoallv(node_, in.data(), refuses ? nullptr : &places, out.data(), &places);
      wrong += delivered == Delivered::kNothing && out == Numbers(in.size()) ? 0 : 1;
    }
    return wrong;
  }
  // Results that begin on no cache line.
  int count_wrong_of_much(std::size_t bytes) {
    const std::size_t count = bytes / sizeof(std::uint64_t) - 1;
    const Numbers in = numbers(0, node_.rank(), 0, count);
    const Numbers expected = sum(0, 0, count);
    Numbers out(count + 1);
    int wrong = 0;
    allreduce(node_, sum_, in.data(), out.data() + 1, count * sizeof(std::uint64_t));
    wrong += std::equal(expected.begin(), expected.end(), out.begin() + 1) ? 0 : 1;
    std::fill(out.begin(), out.end(), 0);
    reduce(node_, sum_, in.data(), out.data() + 1, count * sizeof(std::uint64_t), 1);
    if (node_.rank() != 1) return wrong;
    return wrong + (std::equal(expected.begin(), expected.end(), out.begin() + 1) ? 0 : 1);
  }

 private:
  bool call(unsigned kind, int round, std::size_t count, int root) {
    const int me = node_.rank();
    const bool here = me == root;
    const std::size_t bytes = count * sizeof(std::uint64_t);
    const Numbers in = numbers(round, me, 0, count);
    Numbers out(count * static_cast<std::size_t>(node_.size()));
    const auto out_is = [&](const Numbers& expected) {
      return std::equal(expected.begin(), expected.end(), out.begin());
    };
    switch (kind) {
      case 0:
        allreduce(node_, sum_, in.data(), out.data(), bytes);
        return out_is(sum(round, 0, count));
      case 1:
        reduce(node_, sum_, in.data(), here ? out.data() : nullptr, bytes, root);
        return !here || out_is(sum(round, 0, count));
      case 2: {
        Numbers data = in;
        bcast(node_, data.data(), bytes, root);
        return data == numbers(round, root, 0, count);
      }
      case 3:
        allgather(node_, in.data(), out.data(), bytes);
        return out_is(from_all(round, 0, count));
      case 4:
        alltoall(node_, to_all(round, me, count).data(), out.data(), bytes);
        return out_is(from_all(round, me, count));
      case 5:
        reduce_scatter(node_, sum_, to_all(round, me, count).data(), out.data(), bytes);
        return out_is(sum(round, me, count));
      case 6:
        gather(node_, in.data(), here ? out.data() : nullptr, bytes, root);
        return !here || out_is(from_all(round, 0, count));
      case 7:
        scatter(node_, here ? to_all(round, root, count).data() : nullptr, out.data(), bytes, root);
        return out_is(numbers(round, root, me, count));
      case 8:
        scan(node_, sum_, in.data(), out.data(), bytes, Prefix::kInclusive);
        return out_is(sum(round, 0, count, me + 1));
      case 9:
        scan(node_, sum_, in.data(), out.data(), bytes, Prefix::kExclusive);
        return me == 0 || out_is(sum(round, 0, count, me));
      case 10:
        return reduce_scatter_unevenly(round, count, root);
      case 11: {
        const Places places = uneven(count, me, true);
        allgatherv(node_, numbers(round, me, 0, length(places, me)).data(), out.data(), places);
        return out_is(laid_out(places, out.size(), [&](int rank) {
          return numbers(round, rank, 0, length(places, rank));
        }));
      }
      case 12: {
        const Places places = uneven(count, root, true);
        const Numbers mine = numbers(round, me, 0, length(places, me));
        const Delivered delivered =
            gatherv(node_, mine.data(), bytes_of(mine), here ? out.data() : nullptr,
                    here ? &places : nullptr, root);
        return delivered == Delivered::kAll &&
               (!here || out_is(laid_out(places, out.size(), [&](int rank) {
                 return numbers(round, rank, 0, length(places, rank));
               })));
      }
      case 13: {
        const Places places = uneven(count, root, true);
        const Numbers all = laid_out(places, out.size(), [&](int rank) {
          return numbers(round, root, rank, length(places, rank));
        });
        Numbers mine(length(places, me));
        const Delivered delivered = scatterv(node_, all.data(), here ? &places : nullptr,
                                             mine.data(), bytes_of(mine), root);
        return delivered == Delivered::kAll && mine == numbers(round, root, me, length(places, me));
      }
      case 14: {
        const Places places = uneven(count, me, false);
        const Numbers all = laid_out(places, out.size(), [&](int rank) {
          return numbers(round, me, rank, length(places, rank));
        });
        const Delivered delivered = alltoallv(node_, all.data(), &places, out.data(), &places);
        return delivered == Delivered::kAll && out_is(laid_out(places, out.size(), [&](int rank) {
                 return numbers(round, rank, me, length(places, rank));
               }));
      }
      default:
        if (count % 2 == 0) {
          barrier(node_);
        } else {
          node_arrive(node_);
          node_leave(node_);
        }
        return true;
    }
  }
  // BlockLengths of 1 to 3 times `count`, none for rank `empty`.
  bool reduce_scatter_unevenly(int round, std::size_t count, int empty) {
    const auto count_of = [&](int rank) {
      return rank == empty ? 0 : count * (1 + static_cast<std::size_t>(rank) % 3);
    };
    Numbers all;
    std::vector<std::size_t> firsts{0};
    for (int rank = 0; rank < node_.size(); ++rank) {
      append(all, numbers(round, node_.rank(), rank, count_of(rank)));
      firsts.push_back(all.size() * sizeof(std::uint64_t));
    }
    Numbers out(count_of(node_.rank()));
    reduce_scatter(node_, sum_, all.data(), out.data(), BlockLengths(firsts.data()));
    return out == sum(round, node_.rank(), count_of(node_.rank()));
  }
  using Places = std::vector<Place>;
  // Blocks of all sizes, from none on; between `mine` and each rank, or the same for all ranks.
  Places uneven(std::size_t count, int mine, bool for_all) const {
    Places places;
    for (int rank = 0; rank < node_.size(); ++rank) {
      const auto both = static_cast<std::size_t>(rank + (for_all ? 0 : mine));
      const std::size_t part = (both * 5 + count) % 4;
      places.push_back({.offset = static_cast<std::size_t>(rank) * count * sizeof(std::uint64_t),
                        .bytes = count * part / 3 * sizeof(std::uint64_t)});
    }
    return places;
  }
  static std::size_t length(const Places& places, int rank) {
    return places[static_cast<std::size_t>(rank)].bytes / sizeof(std::uint64_t);
  }
  static std::size_t bytes_of(const Numbers& all) { return all.size() * sizeof(std::uint64_t); }
  template <typename BlockOf>
  static Numbers laid_out(const Places& places, std::size_t room, const BlockOf& block_of) {
    Numbers all(room);
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
      const Numbers block = block_of(rank);
      const std::size_t first =
          places[static_cast<std::size_t>(rank)].offset / sizeof(std::uint64_t);
      std::copy(block.begin(), block.end(), all.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return all;
  }
  // What this rank gives all ranks, and what it gets from them.
  Numbers to_all(int round, int from, std::size_t count) const {
    Numbers all;
    for (int rank = 0; rank < node_.size(); ++rank) append(all, numbers(round, from, rank, count));
    return all;
  }
  Numbers from_all(int round, int to, std::size_t count) const {
    Numbers all;
    for (int rank = 0; rank < node_.size(); ++rank) append(all, numbers(round, rank, to, count));
    return all;
  }
  Numbers sum(int round, int to, std::size_t count) const {
    return sum(round, to, count, node_.size());
  }
  static Numbers sum(int round, int to, std::size_t count, int ranks) {
    Numbers all(count, 0);
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::size_t i = 0; i < count; ++i) all[i] += number(round, rank, to, i);
    }
    return all;
  }
  static void append(Numbers& all, const Numbers& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  Node node_;
  Sum sum_;
};

// What `work(rank)` returns on all ranks, which are made in one piece of memory.
template <typename Work>
int count_wrong(int size, const Work& work) {
  const Survey survey(true, kUsual);
  const std::size_t bytes = (Node::bytes_per_rank(survey) + 4095) / 4096 * 4096;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<std::byte, Free>> memory;
  std::vector<std::byte*> parts;
  for (int rank = 0; rank < size; ++rank) {
    memory.emplace_back(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
    parts.push_back(memory.back().get());
    std::memset(parts.back(), 0, bytes);
  }
  std::vector<int> wrong(static_cast<std::size_t>(size), -1);
  std::latch all_made(size);
  std::latch all_done(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      Rank mine(rank, size, parts, survey);
      all_made.arrive_and_wait();
      wrong[static_cast<std::size_t>(rank)] = work(mine);
      all_done.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  int all = 0;
  for (const int one : wrong) all += one;
  return all;
}

int count_wrong(int size, int rounds) {
  return count_wrong(size, [&](Rank& rank) { return rank.count_wrong(rounds); });
}

TEST_CASE("two ranks") { CHECK(count_wrong(2, 4000) == 0); }
TEST_CASE("few ranks") { CHECK(count_wrong(3, 300) == 0); }
// More than read one another's operands directly.
TEST_CASE("many ranks, in groups") { CHECK(count_wrong(17, 30) == 0); }
// More than a cell has lines for, and not.
TEST_CASE("alltoallv of which a rank may refuse") {
  for (const int size : {2, 3, 22}) {
    CHECK(count_wrong(size, [](Rank& rank) { return rank.count_wrong_alltoallv(6); }) == 0);
  }
}
// Results are stored past the caches then.
TEST_CASE("two ranks with more data than the last cache holds") {
  const std::size_t bytes = std::min(leadline::read_caches().last, std::size_t{64} << 20) / 2;
  CHECK(count_wrong(2, [&](Rank& rank) { return rank.count_wrong_of_much(bytes); }) == 0);
}

}  // namespace
