// PE 0 puts, PE 1 waits for the data: the call's time and the delivery's, by size and by what the
// receiver looks at.
#include <shmem.h>

#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "benchmarks/shmem/arrival.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "worlds/shmem_world.hpp"

namespace leadline {
namespace {

constexpr int kSender = 0;
constexpr int kReceiver = 1;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kWord = sizeof(std::uint64_t);

// Looks before it asks the library to wait: a call for each word that is there already would cost
// more than the transfer. Waiting itself must be the library's (OpenSHMEM 1.4, section 9.9).
void await_word(std::uint64_t* word, std::uint64_t value) {
  if (std::atomic_ref(*word).load(std::memory_order_acquire) == value) return;
  shmem_uint64_wait_until(word, SHMEM_CMP_EQ, value);
}

// What both PEs know, and their memory. The area is symmetric on both, so that a cold one steps
// through the same offsets.
class Put {
 public:
  Put(std::size_t bytes, bool cold, Check check, int rank)
      : bytes_(bytes),
        check_(check),
        rank_(rank),
        slots_(bytes, cold),
        area_(make_symmetric<std::byte>(slots_.area_bytes())),
        signals_(make_symmetric<Signals>(1)) {
    do {
      bases_[slots_.offset()] = content_word(0, slots_.offset());
      if (rank_ == kSender) fill_words(words(slots_.offset()), bases_[slots_.offset()]);
      slots_.step();
    } while (slots_.offset() != 0);
    if (rank_ == kSender) touch();
  }

  // The slot that was used last gets the new content: with one slot the next put moves it, with
  // many the one that comes round when it has left the caches. The receiver says that it is done
  // with the last put; only then may the next one start.
  void fill(std::uint64_t seed) {
    bases_[previous_] = content_word(seed, 0);
    base_ = bases_[slots_.offset()];
    ++turn_;
    if (rank_ == kReceiver) {
      shmem_uint64_p(&signals_->ready, turn_, kSender);
      shmem_quiet();
      return;
    }
    // Two puts to one place are not ordered otherwise (section 9.10, shmem_quiet).
    shmem_quiet();
    shmem_uint64_wait_until(&signals_->ready, SHMEM_CMP_EQ, turn_);
    fill_words(words(previous_), bases_[previous_]);
  }

  void send() {
    std::byte* place = area_.get() + slots_.offset();
    shmem_putmem(place, place, bytes_, kReceiver);
    if (check_ == Check::kFlag) {
      // Only this order makes the flag say anything (section 9.10, shmem_fence).
      shmem_fence();
      shmem_uint64_p(&signals_->flag, turn_, kReceiver);
    }
    step();
  }

  void receive() {
    await_arrival(check_,
                  {.words = words(slots_.offset()),
                   .base = base_,
                   .flag = &signals_->flag,
                   .flag_value = turn_},
                  await_word);
    step();
  }

  // Of the last put; a wrong word counts as eight wrong bytes.
  std::size_t wrong_bytes() {
    return rank_ == kSender ? 0 : kWord * count_wrong_words(words(previous_), base_);
  }

 private:
  struct Signals {
    std::uint64_t ready;  // on the sender: the turn that the receiver waits in
    std::uint64_t flag;   // on the receiver: the turn whose data have come
  };

  // The sender's first store to a page of the receiver's memory costs a page fault.
  void touch() {
    for (std::size_t offset = 0; offset < slots_.area_bytes(); offset += kPage) {
      shmem_uint64_p(words(offset).data(), 0, kReceiver);
    }
    shmem_quiet();
  }
  std::span<std::uint64_t> words(std::size_t offset) {
    return {reinterpret_cast<std::uint64_t*>(area_.get() + offset), bytes_ / kWord};
  }
  void step() {
    previous_ = slots_.offset();
    slots_.step();
  }

  std::size_t bytes_;
  Check check_;
  int rank_;
  Slots slots_;
  Symmetric<std::byte> area_;
  Symmetric<Signals> signals_;
  std::map<std::size_t, std::uint64_t> bases_;  // content by offset of its slot
  std::size_t previous_ = 0;                    // offset of the slot used last
  std::uint64_t base_ = 0;                      // content of the put that comes next or came last
  std::uint64_t turn_ = 0;
};

Operation prepare(const Point& point) {
  const std::size_t bytes = point.bytes();
  const int rank = point.world().rank();
  const auto put =
      std::make_shared<Put>(bytes, point.cold(), check_named(point.choice("check")), rank);
  Operation operation;
  if (rank == kSender) {
    operation.call = [put] { put->send(); };
  } else {
    operation.call = [put] { put->receive(); };
  }
  operation.fill = [put](std::uint64_t seed) { put->fill(seed); };
  operation.fill_always = true;
  operation.wrong_bytes = [put](std::uint64_t) { return put->wrong_bytes(); };
  operation.series = rank;
  operation.peer = 1 - rank;
  operation.bytes = bytes;
  operation.moved_bytes = static_cast<double>(bytes);
  return operation;
}

Axis word_bytes_axis() {
  Axis axis = bytes_axis("8,80,800,8000,80000,800000,8000000", "size of the put", kWord);
  axis.minimum = kWord;
  return axis;
}

const Registration put{{
    .name = "shmem/put",
    .summary = "a put from PE 0 to PE 1, timed on both: the call, and the delivery",
    .axes = {word_bytes_axis(),
             choice_axis(
                 "check",
                 "what the receiver looks at: a flag that is put after a fence, every word, "
                 "or the last word of the same put (not safe: words come in any order)",
                 {"flag", "all", "last"})},
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"sender",
                "shmem_putmem on PE 0 until it returns, when the source may be used again and "
                "nothing is known of delivery; with check=flag, the fence and the flag's put too"},
               {"receiver",
                "from the start that both PEs share, when PE 0 calls shmem_putmem, until PE 1 has "
                "seen what it checks; with start=barrier, the PEs' skew out of the barrier is "
                "within"}},
    .start = Start::kAgreed,
    .prepare = prepare,
    // A delivery is timed from a start that both PEs share.
    .starts = {Start::kAgreed, Start::kBarrier},
}};

}  // namespace
}  // namespace leadline
