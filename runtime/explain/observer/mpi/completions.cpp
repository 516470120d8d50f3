// What completes, tests and drops requests.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "runtime/explain/observer/mpi/read.hpp"

namespace leadline::explain {
namespace {

// Requests as they are before the library has made null of them, and statuses of our own where the
// program wants none and a wildcard's sender has to be known. A program that polls tests the same
// ones again and again: what they are about is looked up in one of so many such tests.
class Before {
 public:
  template <typename Arguments>
  void read(const Function& function, Word* words, std::type_identity<Arguments>) {
    const std::size_t count = count_of<Arguments>(function, words);
    const std::size_t bytes = count * sizeof(Passed<Arguments>);
    const auto* const array = reinterpret_cast<const std::byte*>(words[function.requests]);
    if (others_ != thread.others) forget();
    if (unlooked_ < kUnlooked && !observer.multiple && is_as_before(array, bytes)) {
      ++unlooked_;
    } else {
      as_passed_.assign(array, array + bytes);
      handles_.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<int>(i);
        handles_[i] = Arguments::template handle_at<MPI_Request>(words[function.requests], at);
      }
      look();
      if (is_light_ && count == 1) place_of(handle_bits(handles_[0])) = handle_bits(handles_[0]);
    }
    of_call_ = handles_.data();
    count_ = static_cast<int>(handles_.size());
    status_ = is_wild_ ? needed_status<Arguments>(function, words) : nullptr;
  }

  // Does so where it is known already that a test of these does nothing but look at a few bytes.
  template <typename Arguments>
  bool read_light(const Function& function, Word* words) {
    const auto* const array = reinterpret_cast<const Passed<Arguments>*>(words[function.requests]);
    if (array == nullptr || others_ != thread.others) return false;
    if (!Arguments::kFortran && function.request_count == kNone) {
      // A program may test one after the other.
      std::memcpy(&single_, array, sizeof single_);
      if (place_of(handle_bits(single_)) != handle_bits(single_)) return false;
      of_call_ = &single_;
      count_ = 1;
    } else {
      const std::size_t bytes = count_of<Arguments>(function, words) * sizeof *array;
      if (!is_light_ || !is_as_before(reinterpret_cast<const std::byte*>(array), bytes)) {
        return false;
      }
      of_call_ = handles_.data();
      count_ = static_cast<int>(handles_.size());
    }
    status_ = has_wild_ ? needed_status<Arguments>(function, words) : nullptr;
    return true;
  }

  bool is_light() const { return is_light_; }
  int count() const { return count_; }
  u32 awaited() const { return awaited_; }
  MPI_Request operator[](int i) const { return of_call_[i]; }
  const MPI_Status* status(int i) const { return status_ != nullptr ? status_ + i : nullptr; }

 private:
  static constexpr int kUnlooked = 1000;
  static constexpr u64 kLight = 64 << 10;  // bytes

  template <typename Arguments>
  using Passed = std::conditional_t<Arguments::kFortran, MPI_Fint, MPI_Request>;

  template <typename Arguments>
  static std::size_t count_of(const Function& function, const Word* words) {
    // Of an array that is not there the library tells the program.
    if (words[function.requests] == 0) return 0;
    if (function.request_count == kNone) return 1;
    return static_cast<std::size_t>(std::max(0, Arguments::integer(words[function.request_count])));
  }

  template <typename Arguments>
  const MPI_Status* needed_status(const Function& function, Word* words) {
    Word& word = words[function.status];
    if (Arguments::ignored(reinterpret_cast<const void*>(word))) {
      const auto count = static_cast<std::size_t>(count_);
      if (statuses_.size() < count) statuses_.resize(count);
      word = reinterpret_cast<Word>(statuses_.data());
    }
    return reinterpret_cast<const MPI_Status*>(word);
  }

  bool is_as_before(const std::byte* array, std::size_t bytes) const {
    return as_passed_.size() == bytes &&
           (bytes == 0 || std::memcmp(array, as_passed_.data(), bytes) == 0);
  }

  u64& place_of(u64 handle) {
    static_assert(kPlaces == 16);
    return light_[handle * 0x9E3779B97F4A7C15U >> 60U];
  }

  // After other calls a handle may be another request's.
  void forget() {
    others_ = thread.others;
    unlooked_ = kUnlooked;
    is_light_ = has_wild_ = false;
    light_.fill(0);
  }

  void look() {
    unlooked_ = 0;
    awaited_ = 0;
    is_wild_ = false;
    is_light_ = true;
    const Requests requests;
    for (const MPI_Request handle : handles_) {
      if (handle == MPI_REQUEST_NULL) continue;
      const Request* const request = Requests::find(handle);
      is_wild_ = is_wild_ || (request != nullptr && request->awaited.is_wild);
      is_light_ = is_light_ && request != nullptr && request->bytes <= kLight;
      if (request != nullptr && request->is_active) note(*request);
    }
    has_wild_ = has_wild_ || is_wild_;
  }

  // Writes what a request is about; what else is completed is not known.
  void note(const Request& request) {
    if (!thread.is_owner || awaited_ == kAwaiting) return;
    Awaiting& awaiting = observer.awaiting[awaited_++];
    const bool known = request.comm != nullptr;
    awaiting.comm = known ? request.comm->number : kUnknownComm;
    awaiting.number = request.call;
    awaiting.peer = kNoPeer;
    awaiting.tag = request.receives ? request.source_tag : request.tag;
    awaiting.what = request.what == Request::kCollective ? kAwaitsCollective : 0;
    if (request.what != Request::kTransfer || !known) return;
    const int peer = request.receives ? request.source : request.to;
    awaiting.peer = peer == MPI_ANY_SOURCE ? kAnyPeer : request.comm->world(peer);
    const bool has_begun = request.receives ? has_sent(request) : request.sent.is_asked_for();
    awaiting.what = (request.sends ? kAwaitsSend : 0U) | (request.receives ? kAwaitsReceive : 0U) |
                    (has_begun ? kOtherHasBegun : 0U);
    if (!request.receives || request.awaited.from < 0 || observer.peer_count == 0) return;
    awaiting.what |= kIsCounted;
    awaiting.number = messages_sent(request.awaited.from);
  }

  // Whether the message of a receive is there, or has come since that was posted.
  static bool has_sent(const Request& request) {
    if (request.awaited.sent != 0) return true;
    return request.awaited.is_pending &&
           look_at_message(*request.comm, request.source, request.source_tag).sent != 0;
  }

  std::vector<std::byte> as_passed_;
  std::vector<MPI_Request> handles_;
  const MPI_Request* of_call_ = nullptr;
  int count_ = 0;
  MPI_Request single_{};
  static constexpr std::size_t kPlaces = 16;
  std::array<u64, kPlaces> light_{};  // single ones that were tested
  u32 others_ = 0;
  int unlooked_ = kUnlooked;
  u32 awaited_ = 0;
  bool is_wild_ = false;
  bool has_wild_ = false;  // or one in the row of tests had
  bool is_light_ = false;
  const MPI_Status* status_ = nullptr;
  std::vector<MPI_Status> statuses_;
};

// A thread's own, also for calls that come after the thread's objects have ended, as from a
// destructor of a static object.
constinit thread_local Before* of_thread = nullptr;
struct End {
  ~End() {
    delete of_thread;
    of_thread = nullptr;
  }
};

Before& before_call() {
  if (of_thread == nullptr) {
    of_thread = new Before;
    [[maybe_unused]] static thread_local const End end;
  }
  return *of_thread;
}

// Of the requests that a call has completed, the one that became ready last.
struct Ready {
  u64 ticks = 0;
  int world = kNoPeer;
  bool is_sender = false;
  bool is_receiver = false;
  bool partial = false;
  u64 bytes = 0;
  Communicator* comm = nullptr;  // kept

  void look_at(u64 when, int who, bool sender, bool receiver) {
    if (when <= ticks) return;
    ticks = when;
    world = who;
    is_sender = sender;
    is_receiver = receiver;
  }
};

void complete(MPI_Request handle, const MPI_Status* status, const Call& call, Ready& ready) {
  if (handle == MPI_REQUEST_NULL) return;
  Request* const request = Requests::find(handle);
  if (request == nullptr || !request->is_active) return;
  ready.bytes += request->bytes;
  if (request->comm != nullptr) retain(*request->comm);
  release(ready.comm);
  ready.comm = request->comm;
  if (request->what == Request::kTransfer && request->comm != nullptr) {
    int is_cancelled = 0;
    if (request->is_cancelled && status != nullptr) PMPI_Test_cancelled(status, &is_cancelled);
    if (request->receives && (is_cancelled != 0 || request->is_cancelled)) {
      give_up(request->awaited);
    } else if (request->receives) {
      const Arrived arrived = take_message(request->awaited, status);
      ready.look_at(arrived.sent, arrived.world, true, false);
      if (arrived.sent == 0) ready.partial = true;
    }
    if (request->sends) {
      ready.look_at(request->sent.asked(), request->sent.world, false, true);
      if (request->sent.to < 0) ready.partial = true;
    }
  } else if (request->what == Request::kCollective) {
    const Communicator& known = *request->comm;
    const bool waits = !(request->shape == kFromRoot && known.rank == request->root) &&
                       !(request->shape == kToRoot && known.rank != request->root);
    if (waits && known.size > 1) {
      const Latest last = latest(known, request->shape, request->root, request->call, call.begun());
      ready.look_at(last.ticks, last.world, false, false);
      if (last.partial) ready.partial = true;
    }
  } else {
    ready.partial = true;
  }
  request->is_active = false;
  if (!request->is_persistent) Requests::remove(*request);
}

// Which requests of the array the library has completed: all, one, or those of a list.
template <typename Arguments>
Ready complete_all(const Function& function, const Word* words, const Before& before,
                   const Call& call) {
  Ready ready;
  const Requests requests;
  const auto valid = [&](int i) { return i >= 0 && i < before.count(); };
  if (function.finished != kNone) {
    const int finished = Arguments::integer_at(words[function.finished]);
    for (int i = 0; i < finished && i < before.count(); ++i) {
      const int index = reinterpret_cast<const int*>(words[function.index])[i] - Arguments::kFirst;
      if (valid(index)) complete(before[index], before.status(i), call, ready);
    }
  } else if (function.index != kNone) {
    const int index = Arguments::integer_at(words[function.index]) - Arguments::kFirst;
    if (valid(index)) complete(before[index], before.status(0), call, ready);
  } else {
    for (int i = 0; i < before.count(); ++i) complete(before[i], before.status(i), call, ready);
  }
  return ready;
}

template <typename Arguments>
bool found_nothing(const Function& function, const Word* words) {
  if (function.flag != kNone) return Arguments::integer_at(words[function.flag]) == 0;
  return function.kind == kTest && function.finished != kNone &&
         Arguments::integer_at(words[function.finished]) == 0;
}

template <typename Arguments>
bool was_in_vain(const Function& function, Word result, const Word* words) {
  return succeeded<Arguments>(function, result, words) && found_nothing<Arguments>(function, words);
}

template <typename Arguments>
void account_completion(Call& call, const Function& function, const Word* words, Word result,
                        const Before& before) {
  if (!succeeded<Arguments>(function, result, words)) return call.account({});
  const Ready ready = complete_all<Arguments>(function, words, before, call);
  Waited waiting{.partial = ready.partial};
  call.bytes = ready.bytes;
  call.comm = ready.comm;
  if (function.kind == kCompletion && ready.ticks > call.begun()) {
    waiting.ticks = std::min(ready.ticks, call.ended()) - call.begun();
    waiting.culprit = ready.world;
    waiting.late_sender = ready.is_sender ? waiting.ticks : 0;
    waiting.late_receiver = ready.is_receiver ? waiting.ticks : 0;
  }
  call.account(waiting);
  release(ready.comm);
}

template <typename Arguments>
__attribute__((noinline)) Word complete_timed(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  const Function& function = functions[entry.function];
  Call call(entry, function.kind, site);
  Before& before = before_call();
  before.read(function, words, std::type_identity<Arguments>{});
  call.awaited = before.awaited();
  const Word result = call.run(words);
  if (was_in_vain<Arguments>(function, result, words)) {
    call.account_in_vain(before.is_light());
  } else {
    account_completion<Arguments>(call, function, words, result, before);
  }
  return result;
}

template <typename Arguments>
__attribute__((noinline)) void complete_untimed(Entry& entry, const Word* words, const void* site,
                                                Word result) {
  const Function& function = functions[entry.function];
  Call call(entry, function.kind, site, Untimed{});
  account_completion<Arguments>(call, function, words, result, *of_thread);
}

}  // namespace

template <typename Arguments>
Word completion(Entry& entry, Word* words, const void* site) {
  const Function& function = functions[entry.function];
  Poll* const poll = untimed_poll(entry, site);
  if (poll == nullptr || of_thread == nullptr ||
      !of_thread->read_light<Arguments>(function, words)) {
    return complete_timed<Arguments>(entry, words, site);
  }
  const Word result = pass_untimed(entry, words);
  if (was_in_vain<Arguments>(function, result, words)) {
    count_untimed(*poll);
  } else {
    complete_untimed<Arguments>(entry, words, site, result);
  }
  return result;
}
LEADLINE_EXPLAIN_ENTRIES(completion)

// A test that completes nothing.
template <typename Arguments>
Word poll(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  const Function& function = functions[entry.function];
  return observe_test(
      entry, words, site, 0,
      [&](Word result) { return was_in_vain<Arguments>(function, result, words); },
      [](const Call&) {}, [](const Call& call) { call.account({}); });
}
LEADLINE_EXPLAIN_ENTRIES(poll)

template <typename Arguments>
Word begin(Call& call, const Function& function, Word* words) {
  const int count = words[function.requests] == 0 ? 0
                    : function.request_count == kNone
                        ? 1
                        : Arguments::integer(words[function.request_count]);
  {
    const Requests requests;
    for (int i = 0; i < count; ++i) {
      Request* const request =
          Requests::find(Arguments::template handle_at<MPI_Request>(words[function.requests], i));
      if (request == nullptr) continue;
      call.bytes += request->bytes;
      call.comm = request->comm;
      begin_transfer(*request, call.begun());
    }
  }
  const Word result = call.run(words);
  call.account({});
  return result;
}
LEADLINE_EXPLAIN_HANDLER(begin)

template <typename Arguments>
Word dropped(Call& call, const Function& function, Word* words) {
  if (words[function.requests] != 0) {
    const Requests requests;
    Request* const request =
        Requests::find(Arguments::template handle_at<MPI_Request>(words[function.requests]));
    if (request != nullptr) {
      if (request->is_active) give_up(request->awaited);
      Requests::remove(*request);
    }
  }
  const Word result = call.run(words);
  call.account({});
  return result;
}
LEADLINE_EXPLAIN_HANDLER(dropped)

template <typename Arguments>
Word cancelled(Call& call, const Function& function, Word* words) {
  if (words[function.requests] != 0) {
    const Requests requests;
    Request* const request =
        Requests::find(Arguments::template handle_at<MPI_Request>(words[function.requests]));
    if (request != nullptr) request->is_cancelled = true;
  }
  const Word result = call.run(words);
  call.account({});
  return result;
}
LEADLINE_EXPLAIN_HANDLER(cancelled)

}  // namespace leadline::explain
