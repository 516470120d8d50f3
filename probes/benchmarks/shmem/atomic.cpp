// Atomic operations on 64-bit words in another PE's memory, each PE on a word that is its own or
// all on one.
#include <shmem.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

// 64 bits wide because Open MPI 4.1's 32-bit compare-and-swap writes 64 bits to its result.
using Word = unsigned long long;

// One PE's operations on its word. What it operates with differs by PE and seed. The final value
// and what the calls returned are enough to tell a wrong operation, also where all PEs share the
// word.
class Target {
 public:
  explicit Target(const Point& point)
      : world_(point.world()),
        contended_(point.choice("contended") == "yes"),
        pe_(contended_ ? 0 : (world_.rank() + 1) % world_.size()),
        word_(make_symmetric<Word>(1)) {}
  virtual ~Target() = default;

  virtual void call() = 0;
  void fill(std::uint64_t seed) {
    // No operation of any PE is under way when its word changes.
    shmem_barrier_all();
    initial_ = content_word(seed, static_cast<std::uint64_t>(word_owner()) << 32);
    own_ = own(seed, world_.rank());
    seed_ = seed;
    // By an atomic, as all that happens to it (section 9.7).
    shmem_ulonglong_atomic_set(word_.get(), initial_of(seed, world_.rank()), world_.rank());
    shmem_quiet();
    reset();
  }
  // Collective.
  std::size_t wrong_bytes() {
    shmem_barrier_all();
    const Word final = shmem_ulonglong_atomic_fetch(word_.get(), pe_);
    return right(final) ? 0 : sizeof(Word);
  }

 protected:
  virtual void reset() {}
  // Collective: whether the word and what this PE's call returned are possible together.
  virtual bool right(Word final) = 0;

  // Over the PEs that share this one's word.
  Word sum(Word value) { return contended_ ? agree(world_, value, take_sum<Word>) : value; }

  World& world_;
  bool contended_;
  int pe_;
  Symmetric<Word> word_;
  std::uint64_t seed_ = 0;
  Word initial_ = 0;
  Word own_ = 0;

 private:
  int word_owner() const { return pe_; }
  static Word initial_of(std::uint64_t seed, int pe) {
    return content_word(seed, static_cast<std::uint64_t>(pe) << 32);
  }
  static Word own(std::uint64_t seed, int pe) {
    return content_word(~seed, static_cast<std::uint64_t>(pe));
  }
};

class Fetch : public Target {
 public:
  using Target::Target;
  void call() override { fetched_ = shmem_ulonglong_atomic_fetch(word_.get(), pe_); }

 protected:
  bool right(Word final) override { return fetched_ == initial_ && final == initial_; }

 private:
  Word fetched_ = 0;
};

class Add : public Target {
 public:
  using Target::Target;
  void call() override { shmem_ulonglong_atomic_add(word_.get(), own_, pe_); }

 protected:
  bool right(Word final) override { return final == initial_ + sum(own_); }
};

class FetchAdd : public Target {
 public:
  using Target::Target;
  void call() override { fetched_ = shmem_ulonglong_atomic_fetch_add(word_.get(), own_, pe_); }

 protected:
  // Alone, a PE must find what was there; of many, none what it has added itself.
  bool right(Word final) override {
    const bool found = contended_ ? fetched_ != final : fetched_ == initial_;
    return final == initial_ + sum(own_) && found;
  }

 private:
  Word fetched_ = 0;
};

class Swap : public Target {
 public:
  using Target::Target;
  void call() override { fetched_ = shmem_ulonglong_atomic_swap(word_.get(), own_, pe_); }

 protected:
  // Each value but the last is found by the next one to swap: what was found and is left are the
  // values that there were, compared by sums in which single wrong bits do not cancel.
  bool right(Word final) override {
    return sum(scatter(fetched_)) + scatter(final) == scatter(initial_) + sum(scatter(own_));
  }

 private:
  Word fetched_ = 0;
};

// Each call expects what the one before has left or found, as a loop of attempts does.
class CompareSwap : public Target {
 public:
  using Target::Target;
  void call() override {
    fetched_ = shmem_ulonglong_atomic_compare_swap(word_.get(), expected_, own_, pe_);
    expected_ = fetched_ == expected_ ? own_ : fetched_;
  }

 protected:
  void reset() override { expected_ = initial_; }
  // One succeeds; the others find its value.
  bool right(Word final) override {
    const bool won = fetched_ == initial_;
    const Word winners = sum(won ? 1 : 0);
    return winners == 1 && final == (won ? own_ : fetched_);
  }

 private:
  Word expected_ = 0;
  Word fetched_ = 0;
};

template <typename T>
std::unique_ptr<Target> make(const Point& point) {
  return std::make_unique<T>(point);
}

// The first is the default.
const std::vector<std::pair<std::string, std::unique_ptr<Target> (*)(const Point&)>> kOperations{
    {"fetch_add", make<FetchAdd>},
    {"compare_swap", make<CompareSwap>},
    {"fetch", make<Fetch>},
    {"swap", make<Swap>},
    {"add", make<Add>},
};

std::shared_ptr<Target> chosen_target(const Point& point) {
  for (const auto& [name, make_target] : kOperations) {
    if (name == point.choice("operation")) return make_target(point);
  }
  throw std::invalid_argument("operation=" + point.choice("operation") + " is none");
}

Operation prepare(const Point& point) {
  const auto target = chosen_target(point);
  Operation operation = operation_of(target);
  operation.messages = point.world().size();
  return operation;
}

Benchmark declare() {
  std::vector<std::string> operations;
  for (const auto& [name, make_target] : kOperations) operations.push_back(name);
  return {
      .name = "shmem/atomic",
      .title = "SHMEM atomic",
      .summary = "an atomic operation on a 64-bit word in another PE's memory",
      .axes = {task_axis("operation", "which (shmem_atomic_...)", operations),
               task_axis("contended",
                         "each PE works on a word of its own, at its neighbour, or all on one "
                         "word at PE 0",
                         {"no", "yes"})},
      .processes = {.minimum = 2},
      .series = {{"call",
                  "one call on each PE, all at it together, until it returns: with its result, and "
                  "for add, which has none, with nothing known of completion; the slowest PE "
                  "stops the clock"}},
      .prepare = prepare,
  };
}

const Registration atomic{declare};

}  // namespace
}  // namespace leadline::probe
