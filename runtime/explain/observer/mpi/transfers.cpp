// Messages from rank to rank: sent, received, and started.
#include <algorithm>

#include "runtime/explain/observer/cost.hpp"
#include "runtime/explain/observer/mpi/read.hpp"

namespace leadline::explain {
namespace {

// What came after the call began made it wait.
u64 clipped(u64 moment, const Call& call) {
  return moment <= call.begun() ? 0 : std::min(moment, call.ended()) - call.begun();
}

template <typename Arguments>
int read_integer(Place place, const Word* words, int otherwise) {
  return place == kNone ? otherwise : Arguments::integer(words[place]);
}

template <typename Arguments>
Communicator* describe(Call& call, const Function& function, const Word* words) {
  Communicator* const known = communicator(read_comm<Arguments>(function, words));
  call.comm = known;
  call.bytes = read_bytes<Arguments>(function, words);
  const Place peer = function.source != kNone ? function.source : function.peer;
  const int rank = read_integer<Arguments>(peer, words, MPI_PROC_NULL);
  const Place tag = function.source != kNone ? function.source_tag : function.tag;
  call.tag = read_integer<Arguments>(tag, words, 0);
  call.peer = rank == MPI_ANY_SOURCE  ? kAnyPeer
              : rank == MPI_PROC_NULL ? kNoPeer
              : known != nullptr      ? known->world(rank)
                                      : kNoPeer;
  return known;
}

// Both directions, as far as the function has them, in one request.
template <typename Arguments>
Request read_request(Communicator* comm, const Call& call, const Function& function,
                     const Word* words) {
  Request request{.what = Request::kTransfer, .is_persistent = function.persistent};
  request.comm = comm;
  request.to = read_integer<Arguments>(function.peer, words, MPI_PROC_NULL);
  request.tag = read_integer<Arguments>(function.tag, words, 0);
  request.source = read_integer<Arguments>(function.source, words, MPI_PROC_NULL);
  request.source_tag = read_integer<Arguments>(function.source_tag, words, 0);
  request.sends = request.to != MPI_PROC_NULL;
  request.receives = request.source != MPI_PROC_NULL;
  request.bytes = call.bytes;
  return request;
}

// A status of our own, where one is needed and the program wants none.
template <typename Arguments>
class Status {
 public:
  Status(const Function& function, Word* words, bool is_needed) {
    if (!is_needed) return;
    Word& word = words[function.status];
    if (Arguments::ignored(reinterpret_cast<const void*>(word))) {
      word = reinterpret_cast<Word>(&own_);
    }
    status_ = reinterpret_cast<const MPI_Status*>(word);
  }
  const MPI_Status* get() const { return status_; }

 private:
  MPI_Status own_;
  const MPI_Status* status_ = nullptr;
};

}  // namespace

template <typename Arguments>
Word send(Call& call, const Function& function, Word* words) {
  Communicator* const known = describe<Arguments>(call, function, words);
  Request request = read_request<Arguments>(known, call, function, words);
  begin_transfer(request, call.begun());
  const Word result = call.run(words);
  Waited waiting;
  waiting.scale = stands_for(request.sent.number, call.duration(), 1);
  if (waiting.scale != 0) waiting.ticks = clipped(request.sent.asked(), call);
  waiting.culprit = call.peer;
  waiting.partial = request.sends && request.sent.to < 0;
  // A receive from anybody asks no sender. A synchronous send of little data that takes long has
  // waited for it.
  constexpr u64 kLittle = 64 << 10;
  constexpr u64 kLong = 200;  // times what is a gap
  if (function.waits && waiting.ticks == 0 && call.bytes <= kLittle &&
      call.duration() > kLong * observer.gap) {
    waiting.ticks = call.duration();
    waiting.partial = true;
  }
  waiting.late_receiver = waiting.ticks;
  call.account(waiting);
  return result;
}
LEADLINE_EXPLAIN_HANDLER(send)

// With or without a send.
template <typename Arguments>
Word receive(Call& call, const Function& function, Word* words) {
  Communicator* const known = describe<Arguments>(call, function, words);
  Request request = read_request<Arguments>(known, call, function, words);
  begin_transfer(request, call.begun());
  const Status<Arguments> status(function, words, request.awaited.is_wild);
  const Word result = call.run(words);
  Waited waiting;
  if (succeeded<Arguments>(function, result, words)) {
    const Arrived arrived = take_message(request.awaited, status.get());
    const u64 for_sender = clipped(arrived.sent, call);
    const u64 for_receiver = clipped(request.sent.asked(), call);
    // The one that is ready last is what was waited for.
    waiting.ticks = std::max(for_sender, for_receiver);
    waiting.late_sender = for_sender >= for_receiver ? for_sender : 0;
    waiting.late_receiver = for_sender >= for_receiver ? 0 : for_receiver;
    waiting.culprit = for_sender >= for_receiver ? arrived.world : request.sent.world;
    waiting.partial = request.receives && arrived.sent == 0;
  } else {
    give_up(request.awaited);
  }
  call.account(waiting);
  return result;
}
LEADLINE_EXPLAIN_HANDLER(receive)

template <typename Arguments>
Word transfer_start(Call& call, const Function& function, Word* words) {
  Communicator* const known = describe<Arguments>(call, function, words);
  Request request = read_request<Arguments>(known, call, function, words);
  if (!request.is_persistent) begin_transfer(request, call.begun());
  const Word result = call.run(words);
  call.account({});
  if (succeeded<Arguments>(function, result, words)) {
    const auto handle = Arguments::template handle_at<MPI_Request>(words[function.request]);
    request.handle = handle_bits(handle);
    if (handle != MPI_REQUEST_NULL) put_request(request);
  } else {
    give_up(request.awaited);
  }
  return result;
}
LEADLINE_EXPLAIN_HANDLER(transfer_start)

namespace {

void account_probe(Call& call, const Function& function, const MPI_Status* of) {
  Waited waiting;
  if (call.comm != nullptr && of->MPI_SOURCE != MPI_PROC_NULL) {
    Arrived arrived;
    if (function.takes) {
      const Awaited awaited = await_message(*call.comm, of->MPI_SOURCE, of->MPI_TAG, call.begun());
      arrived = take_message(awaited, nullptr);
    } else {
      arrived = look_at_message(*call.comm, of->MPI_SOURCE, of->MPI_TAG);
    }
    if (function.flag == kNone) {
      waiting.late_sender = waiting.ticks = clipped(arrived.sent, call);
      waiting.culprit = arrived.world;
      waiting.partial = arrived.sent == 0;
    }
  }
  call.account(waiting);
}

}  // namespace

template <typename Arguments>
Word probe(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  const Function& function = functions[entry.function];
  const Status<Arguments> status(function, words, true);
  const auto comm = Arguments::kFortran ? static_cast<u64>(Arguments::integer(words[function.comm]))
                                        : static_cast<u64>(words[function.comm]);
  return observe_test(
      entry, words, site, comm,
      [&](Word result) {
        return !succeeded<Arguments>(function, result, words) ||
               (function.flag != kNone && Arguments::integer_at(words[function.flag]) == 0);
      },
      [&](Call& call) { describe<Arguments>(call, function, words); },
      [&](Call& call) { account_probe(call, function, status.get()); });
}
LEADLINE_EXPLAIN_ENTRIES(probe)

}  // namespace leadline::explain
