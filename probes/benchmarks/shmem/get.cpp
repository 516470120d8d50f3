// One PE gets what lies in its partner's memory, which takes no part: time by size and by the call.
#include <shmem.h>

#include <memory>
#include <vector>

#include "benchmarks/shmem/arrival.hpp"
#include "benchmarks/shmem/transfer.hpp"
#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

// One PE's side. The source is symmetric; both PEs step alike, so the one that gets knows where its
// partner has put the content.
class Get {
 public:
  explicit Get(const Point& point)
      : words_(point.bytes() / kWordBytes),
        stride_(static_cast<std::size_t>(point.integer("stride"))),
        get_(chosen_get(point)),
        pair_(pair_of(point.world())),
        owner_(pair_.first ? pair_.partner : point.world().rank()),
        slots_(words_ * stride_ * kWordBytes, point.cold()),
        source_(make_symmetric<std::byte>(slots_.area_bytes())),
        target_(point.buffer(pair_.first ? words_ * stride_ * kWordBytes : 0)) {}

  bool gets() const { return pair_.first; }
  int partner() const { return pair_.partner; }

  void call() {
    if (pair_.first) {
      last_ = as_words(target_.data());
      get_({.target = last_,
            .source = as_words(source_.get() + slots_.offset()),
            .words = words_,
            .stride = static_cast<std::ptrdiff_t>(stride_),
            .pe = pair_.partner});
      target_.step();
    }
    slots_.step();
  }

  void fill(std::uint64_t seed) {
    if (pair_.first) {
      const Words target = words(as_words(target_.data()));
      fill_words(target, ~base(seed));
      fill_gaps(target, ~base(seed));
    } else {
      fill_words(words(as_words(source_.get() + slots_.offset())), base(seed));
    }
  }

  std::size_t wrong_bytes(std::uint64_t seed) const {
    if (!pair_.first) return 0;
    const Words target = words(last_);
    return kWordBytes *
           (count_wrong_words(target, base(seed)) + count_wrong_gaps(target, ~base(seed)));
  }

 private:
  static std::uint64_t* as_words(std::byte* place) {
    return reinterpret_cast<std::uint64_t*>(place);
  }
  Words words(std::uint64_t* first) const { return Words({first, words_ * stride_}, stride_); }
  // Every pair moves something else.
  std::uint64_t base(std::uint64_t seed) const {
    return content_word(seed, static_cast<std::uint64_t>(owner_));
  }

  std::size_t words_;
  std::size_t stride_;
  TransferFunction get_;
  Pair pair_;
  int owner_;
  Slots slots_;
  Symmetric<std::byte> source_;
  Buffer target_;
  std::uint64_t* last_ = nullptr;  // where the last get put its words
};

Operation prepare(const Point& point) {
  const auto get = std::make_shared<Get>(point);
  Operation operation = operation_of(point, get);
  operation.series = get->gets() ? 0 : kNotTimed;
  operation.peer = get->partner();
  return operation;
}

Benchmark declare() {
  std::vector<Axis> axes{word_bytes_axis("size of the get", 0)};
  for (Axis& axis : shape_axes("shmem_getmem, shmem_get64, shmem_uint64_g", "shmem_iget64"))
    axes.push_back(std::move(axis));
  return {
      .name = "shmem/get",
      .title = "SHMEM get",
      .summary = "a get by one PE from the memory of another, which takes no part",
      .axes = axes,
      .sizes = kMessageSizes,
      .processes = kPairs,
      .series = {{"origin",
                  "the get on PE 0, which stops the clock when the data are in its memory: at the "
                  "return of the call, with kind=nonblocking of shmem_quiet"}},
      .prepare = prepare,
      // While it waits for an agreed time the partner would help no library along.
      .starts = {Start::kBackToBack, Start::kBarrier},
  };
}

const Registration get{declare};

}  // namespace
}  // namespace leadline::probe
