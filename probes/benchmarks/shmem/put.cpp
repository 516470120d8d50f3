// One PE puts, its partner waits for the data: the call's time and the delivery's, by size, by the
// call, and by what the receiver looks at.
#include <shmem.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/shmem/arrival.hpp"
#include "benchmarks/shmem/standard.hpp"
#include "benchmarks/shmem/transfer.hpp"
#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr std::size_t kPage = 4096;
// Content between the words at the receiver; between the sender's is nothing but zeros.
constexpr std::uint64_t kGap = 0x5bd1e995a5a5a5a5ULL;
enum Series { kSender = 0, kReceiver = 1 };

// Looks before it asks the library to wait: a call for each word that is there already would cost
// more than the transfer. Waiting itself must be the library's (OpenSHMEM 1.4, section 9.9).
void await_word(std::uint64_t* word, std::uint64_t value) {
  if (std::atomic_ref(*word).load(std::memory_order_acquire) == value) return;
  shmem_uint64_wait_until(word, SHMEM_CMP_EQ, value);
}

#ifdef LEADLINE_OPENSHMEM_1_5
void put_with_signal(const Transfer& transfer, std::uint64_t* signal, std::uint64_t value,
                     bool nonblocking) {
  const std::size_t bytes = transfer.words * kWordBytes;
  if (nonblocking) {
    shmem_putmem_signal_nbi(transfer.target, transfer.source, bytes, signal, value,
                            SHMEM_SIGNAL_SET, transfer.pe);
    shmem_quiet();
  } else {
    shmem_putmem_signal(transfer.target, transfer.source, bytes, signal, value, SHMEM_SIGNAL_SET,
                        transfer.pe);
  }
}
void await_signal(std::uint64_t* signal, std::uint64_t value) {
  shmem_signal_wait_until(signal, SHMEM_CMP_EQ, value);
}
#else
void put_with_signal(const Transfer&, std::uint64_t*, std::uint64_t, bool) {}
void await_signal(std::uint64_t*, std::uint64_t) {}
#endif

// What both PEs know, and their memory. The area is symmetric on both, so that a cold one steps
// through the same offsets.
class Put {
 public:
  explicit Put(const Point& point)
      : words_(point.bytes() / kWordBytes),
        stride_(static_cast<std::size_t>(point.integer("stride"))),
        check_(check_named(point.choice("check"))),
        nonblocking_(point.choice("kind") == "nonblocking"),
        put_(chosen_put(point)),
        pair_(pair_of(point.world())),
        receiver_(pair_.first ? pair_.partner : point.world().rank()),
        slots_(words_ * stride_ * kWordBytes, point.cold()),
        area_(make_symmetric<std::byte>(slots_.area_bytes())),
        signals_(make_symmetric<Signals>(1)) {
    if (pair_.first) touch();
    shmem_barrier_all();
    do {
      const std::size_t offset = slots_.offset();
      bases_[offset] = content_word(0, offset);
      if (pair_.first) {
        fill_words(words(offset), bases_[offset]);
      } else {
        fill_gaps(words(offset), kGap);
      }
      slots_.step();
    } while (slots_.offset() != 0);
  }

  int partner() const { return pair_.partner; }
  bool sends() const { return pair_.first; }

  // The slot that was used last gets the new content: with one slot the next put moves it, with
  // many the one that comes round when it has left the caches. The receiver says that it is done
  // with the last put; only then may the next one start.
  void fill(std::uint64_t seed) {
    bases_[previous_] = content_word(seed, static_cast<std::uint64_t>(receiver_));
    base_ = bases_[slots_.offset()];
    ++turn_;
    if (!pair_.first) {
      shmem_uint64_p(&signals_->ready, turn_, pair_.partner);
      shmem_quiet();
      return;
    }
    // Two puts to one place are not ordered otherwise (section 9.10, shmem_quiet).
    shmem_quiet();
    shmem_uint64_wait_until(&signals_->ready, SHMEM_CMP_EQ, turn_);
    fill_words(words(previous_), bases_[previous_]);
  }

  void send() {
    std::uint64_t* place = &words(slots_.offset())[0];
    const Transfer transfer{.target = place,
                            .source = place,
                            .words = words_,
                            .stride = static_cast<std::ptrdiff_t>(stride_),
                            .pe = pair_.partner};
    if (check_ == Check::kSignal) {
      put_with_signal(transfer, &signals_->flag, turn_, nonblocking_);
    } else {
      put_(transfer);
    }
    if (check_ == Check::kFlag) {
      // Only this order makes the flag say anything (section 9.10, shmem_fence).
      if (!nonblocking_) shmem_fence();
      shmem_uint64_p(&signals_->flag, turn_, pair_.partner);
    }
    step();
  }

  void receive() {
    const Arrival arrival{.words = words(slots_.offset()),
                          .base = base_,
                          .flag = &signals_->flag,
                          .flag_value = turn_};
    if (check_ == Check::kSignal) {
      await_arrival(check_, arrival, await_signal);
    } else {
      await_arrival(check_, arrival, await_word);
    }
    step();
  }

  // Looks at once: a moment later the words that the check has missed are there too.
  void receive_and_look() {
    receive();
    missing_ = count_wrong_words(words(previous_), base_);
  }

  // Of the last put; a wrong word counts as eight wrong bytes.
  std::size_t wrong_bytes() {
    if (pair_.first) return 0;
    const Words last = words(previous_);
    return kWordBytes *
           (std::max(missing_, count_wrong_words(last, base_)) + count_wrong_gaps(last, kGap));
  }

 private:
  struct Signals {
    std::uint64_t ready;  // on the sender: the turn that the receiver waits in
    std::uint64_t flag;   // on the receiver: the turn whose data have come
  };

  // The sender's first store to a page of the receiver's memory costs a page fault.
  void touch() {
    for (std::size_t offset = 0; offset < slots_.area_bytes(); offset += kPage) {
      shmem_uint64_p(reinterpret_cast<std::uint64_t*>(area_.get() + offset), 0, pair_.partner);
    }
    shmem_quiet();
  }
  Words words(std::size_t offset) const {
    auto* first = reinterpret_cast<std::uint64_t*>(area_.get() + offset);
    return Words({first, words_ * stride_}, stride_);
  }
  void step() {
    previous_ = slots_.offset();
    slots_.step();
  }

  std::size_t words_;
  std::size_t stride_;
  Check check_;
  bool nonblocking_;
  TransferFunction put_;
  Pair pair_;
  int receiver_;
  Slots slots_;
  Symmetric<std::byte> area_;
  Symmetric<Signals> signals_;
  std::map<std::size_t, std::uint64_t> bases_;  // content by offset of its slot
  std::size_t previous_ = 0;                    // offset of the slot used last
  std::uint64_t base_ = 0;                      // content of the put that comes next or came last
  std::uint64_t turn_ = 0;
  std::size_t missing_ = 0;  // words that were not there when the check said so
};

Operation prepare(const Point& point) {
  if (point.choice("check") == "signal" &&
      (point.integer("stride") > 1 || point.choice("unit") != "byte")) {
    throw Unavailable("shmem_putmem_signal moves bytes: take unit=byte and stride=1");
  }
  const auto put = std::make_shared<Put>(point);
  Operation operation = operation_of(point, put);
  if (put->sends()) {
    operation.call = [put] { put->send(); };
  } else {
    operation.call = [put] { put->receive(); };
    operation.verified_call = [put] { put->receive_and_look(); };
  }
  operation.fill_always = true;
  operation.series = put->sends() ? kSender : kReceiver;
  operation.peer = put->partner();
  operation.neighbours = {put->partner()};
  return operation;
}

Axis check_axis() {
  std::vector<std::string> choices{"flag", "all", "last_unsafe"};
  std::string summary(
      "what the receiver looks at: a flag that is put after a fence, every word, or the last word "
      "of the same put, which no program may do: words come in any order");
#ifdef LEADLINE_OPENSHMEM_1_5
  choices.emplace_back("signal");
  summary.append("; or the signal of shmem_putmem_signal");
#endif
  Axis axis = task_axis("check", std::move(summary), std::move(choices));
  axis.quick_values = "flag,all";
  return axis;
}

Benchmark declare() {
  std::vector<Axis> axes{word_bytes_axis("size of the put", 1), check_axis()};
  for (Axis& axis : shape_axes("shmem_putmem, shmem_put64, shmem_uint64_p", "shmem_iput64"))
    axes.push_back(std::move(axis));
  return {
      .name = "shmem/put",
      .title = "SHMEM put",
      .summary = "a put from one PE to another, timed on both: the call, and the delivery",
      .axes = axes,
      .sizes = kMessageSizes,
      .processes = kPairs,
      .series =
          {{"sender",
            "the put on PE 0 until it returns, when the source may be used again and nothing is "
            "known of delivery; with kind=nonblocking until shmem_quiet returns; with check=flag, "
            "the fence (if blocking) and the flag's put too",
            {"kind"}},
           {"receiver",
            "from the start that both PEs share, when PE 0 calls the put, until the other PE has "
            "seen what it checks; with start=barrier, the PEs' skew out of the barrier is within"}},
      .start = Start::kAgreed,
      .prepare = prepare,
      // A delivery is timed from a start that both PEs share.
      .starts = {Start::kAgreed, Start::kBarrier},
      // Of the last word nothing follows for the others; strided data are another task.
      .delivery = Delivery{Delivery::Sides::kOneSided,
                           "receiver",
                           {{"check", {"flag", "all", "signal"}}, {"stride", {"1"}}}},
  };
}

const Registration put{declare};

}  // namespace
}  // namespace leadline::probe
