// Collectives of all kinds, types and sizes follow one another, over all PEs and over active sets,
// on symmetric objects in the heap and outside, in place and not. What each must deliver is
// predicted.
//
// PROGRAM ROUNDS SEED [SETS]: prints how many calls were checked, how many of them were wrong, and
// whether memory was mapped that leadline made.
#include <shmem.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

constexpr int kCallsAtOnce = 4;  // before anything is looked at
constexpr std::size_t kMostBytes = 72 << 10;
constexpr int kMostPes = 9;
constexpr std::size_t kSyncWords = SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE +
                                   SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE +
                                   SHMEM_BARRIER_SYNC_SIZE + SHMEM_ALLTOALLS_SYNC_SIZE;
constexpr unsigned char kUntouched = 0xa5;

// What one call works with.
struct alignas(64) Objects {
  std::byte source[kMostBytes * kMostPes];
  std::byte target[kMostBytes * kMostPes];
  std::byte work[kMostBytes + 16 * SHMEM_REDUCE_MIN_WRKDATA_SIZE];
  long sync[kSyncWords];
};
Objects in_program[kCallsAtOnce];
Objects* in_heap = nullptr;

struct Set {
  int start, log_stride, size;
  int pe(int rank) const { return start + (rank << log_stride); }
  int rank_of(int pe) const {
    for (int rank = 0; rank < size; ++rank) {
      if (this->pe(rank) == pe) return rank;
    }
    return -1;
  }
};

std::size_t most_sets = 12;
std::mt19937 dice;  // the same on all PEs
int draw(int most) { return static_cast<int>(dice() % static_cast<unsigned>(most + 1)); }

Set draw_new_set(int pes) {
  const int log_stride = draw(2);
  const int start = draw(pes - 1);
  const int most = (pes - 1 - start) / (1 << log_stride);
  return {start, log_stride, 1 + draw(most)};
}

// All PEs, or one of few active sets.
Set draw_set(int pes) {
  static std::vector<Set> few;
  if (draw(1) == 0) return {0, 0, pes};
  while (few.size() < most_sets) few.push_back(draw_new_set(pes));
  return few[dice() % few.size()];
}

// Few bytes mostly, some that fill cells and slots, few that are many.
std::size_t draw_bytes(std::size_t unit) {
  const int kind = draw(9);
  const std::size_t most = kind == 0 ? kMostBytes : kind < 3 ? 9000 : kind < 6 ? 1200 : 100;
  return dice() % (most / unit + 1) * unit;
}

std::byte content(int call, int pe, std::size_t at) {
  return static_cast<std::byte>(call * 131 + pe * 31 + static_cast<int>(at) * 7 +
                                static_cast<int>(at >> 8));
}

std::vector<std::byte> contents(int call, int pe, std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t at = 0; at < bytes; ++at) all[at] = content(call, pe, at);
  return all;
}

// What is known of a call before it is made, and what it must leave in the target.
struct Call {
  Objects* objects;
  std::function<void()> run;
  std::vector<std::byte> expected;  // from the beginning of the target; all else is untouched
  bool long_double = false;         // whose last 6 bytes of 16 mean nothing
};

void put(std::byte* to, const std::vector<std::byte>& all) {
  std::copy(all.begin(), all.end(), to);
}

Call broadcast(int number, int me, const Set& set, Objects* o) {
  const std::size_t element = draw(1) == 0 ? 4 : 8;
  const std::size_t bytes = draw_bytes(element);
  const int root = draw(set.size - 1);
  put(o->source, contents(number, me, bytes));
  auto* const f = element == 4 ? shmem_broadcast32 : shmem_broadcast64;
  std::vector<std::byte> expected;
  if (set.rank_of(me) != root) expected = contents(number, set.pe(root), bytes);
  return {o,
          [=] {
            f(o->target, o->source, bytes / element, root, set.start, set.log_stride, set.size,
              o->sync);
          },
          expected};
}

Call collect(int number, int me, const Set& set, Objects* o, bool fixed) {
  const std::size_t element = draw(1) == 0 ? 4 : 8;
  std::vector<std::size_t> bytes;
  for (int rank = 0; rank < set.size; ++rank) {
    bytes.push_back(fixed && rank > 0 ? bytes[0] : draw_bytes(element));
  }
  std::vector<std::byte> expected;
  for (int rank = 0; rank < set.size; ++rank) {
    const auto block = contents(number, set.pe(rank), bytes[static_cast<std::size_t>(rank)]);
    expected.insert(expected.end(), block.begin(), block.end());
  }
  const std::size_t own = bytes[static_cast<std::size_t>(std::max(set.rank_of(me), 0))];
  put(o->source, contents(number, me, own));
  auto* const f = fixed ? (element == 4 ? shmem_fcollect32 : shmem_fcollect64)
                        : (element == 4 ? shmem_collect32 : shmem_collect64);
  return {
      o,
      [=] { f(o->target, o->source, own / element, set.start, set.log_stride, set.size, o->sync); },
      expected};
}

Call alltoall(int number, int me, const Set& set, Objects* o) {
  const std::size_t element = draw(1) == 0 ? 4 : 8;
  const std::size_t bytes = draw_bytes(element);
  const auto size = static_cast<std::size_t>(set.size);
  put(o->source, contents(number, me, bytes * size));
  std::vector<std::byte> expected;
  const auto own = static_cast<std::size_t>(std::max(set.rank_of(me), 0));
  for (int rank = 0; rank < set.size; ++rank) {
    for (std::size_t at = 0; at < bytes; ++at) {
      expected.push_back(content(number, set.pe(rank), own * bytes + at));
    }
  }
  auto* const f = element == 4 ? shmem_alltoall32 : shmem_alltoall64;
  return {o,
          [=] {
            f(o->target, o->source, bytes / element, set.start, set.log_stride, set.size, o->sync);
          },
          expected};
}

// Elements lie 1 to 3 of them apart; what is between is untouched.
Call alltoalls(int number, int me, const Set& set, Objects* o) {
  const std::size_t element = draw(1) == 0 ? 4 : 8;
  const auto apart = static_cast<std::size_t>(1 + draw(2));
  const auto source_apart = static_cast<std::size_t>(1 + draw(2));
  const std::size_t bytes = draw_bytes(element) / 3 / element * element;
  const auto size = static_cast<std::size_t>(set.size);
  const auto own = static_cast<std::size_t>(std::max(set.rank_of(me), 0));
  const auto all = contents(number, me, bytes * size * source_apart);
  put(o->source, all);
  std::vector<std::byte> expected(bytes * size * apart, static_cast<std::byte>(kUntouched));
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t at = 0; at < bytes; ++at) {
      const std::size_t sent = (own * bytes + at) / element * element * source_apart;
      const std::size_t got = (from * bytes + at) / element * element * apart;
      expected[got + at % element] =
          content(number, set.pe(static_cast<int>(from)), sent + at % element);
    }
  }
  auto* const f = element == 4 ? shmem_alltoalls32 : shmem_alltoalls64;
  return {o,
          [=] {
            f(o->target, o->source, static_cast<std::ptrdiff_t>(apart),
              static_cast<std::ptrdiff_t>(source_apart), bytes / element, set.start, set.log_stride,
              set.size, o->sync);
          },
          expected};
}

// Small whole numbers, with which all types compute exactly.
template <typename T>
T operand(int number, int pe, int i) {
  return static_cast<T>(static_cast<float>((number * 5 + pe * 3 + i * 7) % 4 - 1));
}

template <typename T>
using ToAll = void(T*, const T*, int, int, int, int, T*, long*);

template <typename T, typename Op>
Call reduce(int number, int me, const Set& set, Objects* o, ToAll<T>* f, const Op& op) {
  const int count = static_cast<int>(draw_bytes(sizeof(T)) / sizeof(T));
  const bool in_place = draw(1) == 0;
  auto* const target = reinterpret_cast<T*>(o->target);
  auto* const source = in_place ? target : reinterpret_cast<T*>(o->source);
  std::vector<std::byte> expected(static_cast<std::size_t>(count) * sizeof(T));
  for (int i = 0; i < count; ++i) {
    T result = operand<T>(number, set.pe(0), i);
    for (int rank = 1; rank < set.size; ++rank) {
      result = static_cast<T>(op(result, operand<T>(number, set.pe(rank), i)));
    }
    source[i] = operand<T>(number, me, i);
    reinterpret_cast<T*>(expected.data())[i] = result;
  }
  if (in_place && set.rank_of(me) < 0) std::memset(o->target, kUntouched, expected.size());
  return {o,
          [=] {
            f(target, source, count, set.start, set.log_stride, set.size,
              reinterpret_cast<T*>(o->work), o->sync);
          },
          expected, std::is_same_v<T, long double>};
}

template <typename T>
T larger(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
T smaller(T a, T b) {
  return a < b ? a : b;
}

#define CASE(type, T, name, expression)                                    \
  all.push_back([](int number, int me, const Set& set, Objects* o) {       \
    return reduce<T>(number, me, set, o, shmem_##type##_##name##_to_all,   \
                     [](T a, T b) { return static_cast<T>(expression); }); \
  });
#define ARITHMETIC(type, T) CASE(type, T, sum, a + b) CASE(type, T, prod, a* b)
#define ORDERED(type, T) \
  ARITHMETIC(type, T) CASE(type, T, max, larger(a, b)) CASE(type, T, min, smaller(a, b))
#define INTEGER(type, T) \
  ORDERED(type, T) CASE(type, T, and, a& b) CASE(type, T, or, a | b) CASE(type, T, xor, a ^ b)

using Make = Call (*)(int, int, const Set&, Objects*);

std::vector<Make> reductions() {
  std::vector<Make> all;
  INTEGER(short, short)
  INTEGER(int, int)
  INTEGER(long, long)
  INTEGER(longlong, long long)
  ORDERED(float, float)
  ORDERED(double, double)
  ORDERED(longdouble, long double)
  ARITHMETIC(complexf, std::complex<float>)
  ARITHMETIC(complexd, std::complex<double>)
  return all;
}

Call draw_call(int number, int me, const Set& set, Objects* o) {
  static const std::vector<Make> every_reduction = reductions();
  switch (draw(8)) {
    case 0:
      return broadcast(number, me, set, o);
    case 1:
      return collect(number, me, set, o, true);
    case 2:
      return collect(number, me, set, o, false);
    case 3:
      return alltoall(number, me, set, o);
    case 5:
      return alltoalls(number, me, set, o);
    case 4:  // the most common one
      return reduce<double>(number, me, set, o, shmem_double_sum_to_all, std::plus<double>());
    default: {
      const auto which = dice() % every_reduction.size();
      return every_reduction[which](number, me, set, o);
    }
  }
}

bool is_right(const Call& call, bool member) {
  const Objects& o = *call.objects;
  const std::size_t filled = member ? call.expected.size() : 0;
  bool right = true;
  for (std::size_t at = 0; at < filled; ++at) {
    const bool means_nothing = call.long_double && at % 16 >= 10;
    right = right && (means_nothing || o.target[at] == call.expected[at]);
  }
  for (std::size_t at = filled; right && at < filled + 4096 && at < sizeof o.target; ++at) {
    right = o.target[at] == static_cast<std::byte>(kUntouched);
  }
  for (const long word : o.sync) right = right && word == SHMEM_SYNC_VALUE;
  return right;
}

// What others put before a barrier is there after it.
bool barriers_complete(int me, const Set& set) {
  static long arrived[kMostPes];
  static long sync[2][kSyncWords];
  static long times = 0;
  for (auto& words : sync) std::fill(std::begin(words), std::end(words), SHMEM_SYNC_VALUE);
  ++times;
  shmem_barrier_all();
  const bool all = draw(1) == 0;
  const Set group = all ? Set{0, 0, shmem_n_pes()} : set;
  if (group.rank_of(me) < 0) return true;
  for (int rank = 0; rank < group.size; ++rank) {
    shmem_put64_nbi(&arrived[me], &times, 1, group.pe(rank));
  }
  if (all) {
    shmem_barrier_all();
  } else {
    shmem_barrier(set.start, set.log_stride, set.size, sync[0]);
  }
  bool right = true;
  for (int rank = 0; rank < group.size; ++rank) right = right && arrived[group.pe(rank)] == times;
  if (all) {
    shmem_sync_all();
  } else {
    shmem_sync(set.start, set.log_stride, set.size, sync[1]);
  }
  return right;
}

bool has_memory_of_leadline() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/leadline-") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

int main(int count, char** argv) {
  shmem_init();
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();
  const int rounds = std::atoi(argv[1]);
  dice.seed(static_cast<unsigned>(std::atoi(argv[2])));
  if (count > 3) most_sets = static_cast<std::size_t>(std::atoi(argv[3]));
  in_heap = static_cast<Objects*>(shmem_align(64, kCallsAtOnce * sizeof(Objects)));
  static long wrong = 0;
  int calls = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Call> burst;
    std::vector<bool> members;
    for (int i = 0; i < kCallsAtOnce; ++i, ++calls) {
      Objects* const o = draw(3) == 0 ? &in_program[i] : &in_heap[i];
      std::memset(o->target, kUntouched, sizeof o->target);
      std::fill(std::begin(o->sync), std::end(o->sync), SHMEM_SYNC_VALUE);
      const Set set = draw_set(pes);
      burst.push_back(draw_call(calls, me, set, o));
      members.push_back(set.rank_of(me) >= 0);
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < burst.size(); ++i) {
      if (members[i]) burst[i].run();
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < burst.size(); ++i) wrong += is_right(burst[i], members[i]) ? 0 : 1;
    wrong += barriers_complete(me, draw_set(pes)) ? 0 : 1;
    shmem_barrier_all();
  }
  long all_wrong = 0;
  for (int pe = 0; pe < pes; ++pe) all_wrong += shmem_long_g(&wrong, pe);
  if (me == 0) {
    std::printf("%d calls, %ld wrong, memory %s\n", calls, all_wrong,
                has_memory_of_leadline() ? "shared" : "of the library");
    std::fflush(stdout);
  }
  shmem_barrier_all();
  shmem_finalize();
}
