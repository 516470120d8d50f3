// Collectives that block, of data and of what is made, freed or set.
#include "runtime/explain/observer/mpi/read.hpp"

namespace leadline::explain {
namespace {

// What was made is known to all of its members, so they can agree on it.
template <typename Arguments>
void learn_what_is_new(const Function& function, const Word* words) {
  const auto parent = [&] { return read_comm<Arguments>(function, words); };
  if (function.new_comm != kNone) {
    const auto made = Arguments::template handle_at<MPI_Comm>(words[function.new_comm]);
    Communicator* const known = communicator(made);
    if (known != nullptr) agree(*known, made);
  }
  if (function.new_win != kNone) {
    const auto made = Arguments::template handle_at<MPI_Win>(words[function.new_win]);
    keep(handle_bits(made), agreed_copy(parent()));
  }
  if (function.new_file != kNone) {
    const auto made = Arguments::template handle_at<MPI_File>(words[function.new_file]);
    keep(handle_bits(made), agreed_copy(parent()));
  }
}

template <typename Arguments>
void describe(Call& call, const Function& function, const Word* words, const Communicator& known) {
  call.comm = &known;
  call.bytes = known.size > 0 && !function.neighbours ? read_part<Arguments>(function, words, known)
                                                      : read_bytes<Arguments>(function, words);
  if (function.root != kNone && !known.is_inter) {
    call.root = known.world(Arguments::integer(words[function.root]));
  }
}

// Whether a rooted collective between two groups makes this rank wait for the other one.
bool waits_between_groups(const Function& function, int root) {
  switch (function.whom()) {
    case kFromRoot:
      return root >= 0;
    case kToRoot:
      return root == MPI_ROOT;
    default:
      return true;
  }
}

int root_of(const Function& function, const Word* words, bool is_fortran) {
  if (function.root == kNone) return -1;
  return is_fortran ? InFortran::integer(words[function.root]) : InC::integer(words[function.root]);
}

}  // namespace

template <typename Arguments>
Word collective(Call& call, const Function& function, Word* words) {
  Communicator* const known = read_communicator<Arguments>(function, words);
  u64 freed = 0;
  if (function.freed && function.win != kNone) {
    freed = read_handle<Arguments, MPI_Win>(function, words, function.win);
  } else if (function.freed && function.file != kNone) {
    freed = read_handle<Arguments, MPI_File>(function, words, function.file);
  }
  if (known != nullptr) {
    retain(*known);
    describe<Arguments>(call, function, words, *known);
    // Libraries free communicators without a word to other ranks, which may do so in any order.
    if (function.comm != kNone && !function.freed) {
      agree(*known, read_comm<Arguments>(function, words));
    }
    call.comm_call = arrive(*known, call.begun());
  }
  const Word result = call.run(words);
  Waited waiting;
  if (known == nullptr || function.neighbours) {
    waiting.partial = true;
  } else {
    const int root = root_of(function, words, Arguments::kFortran);
    const bool between = known->is_inter && function.root != kNone;
    const Shape shape = between && function.whom() == kToRoot ? kAll : function.whom();
    if (known->agreed && !known->is_inter) call.shape = shape;
    if (!between || waits_between_groups(function, root)) {
      waiting = waited(*known, shape, root, call.comm_call, call);
    }
  }
  if (function.waits && waiting.ticks == 0) waiting = {.ticks = call.duration(), .partial = true};
  call.account(waiting);
  if (succeeded<Arguments>(function, result, words)) {
    if (freed != 0) drop(freed);
    learn_what_is_new<Arguments>(function, words);
  }
  release(known);
  return result;
}
LEADLINE_EXPLAIN_HANDLER(collective)

// One that goes on after the call.
template <typename Arguments>
Word collective_start(Call& call, const Function& function, Word* words) {
  Communicator* const known = communicator(read_comm<Arguments>(function, words));
  Request request{.what = Request::kUnknown, .is_active = true};
  if (known != nullptr) {
    describe<Arguments>(call, function, words, *known);
    request.bytes = call.bytes;
    request.comm = known;
    // Without a number of the call nobody can tell who is late.
    if (known->agreed && !function.neighbours) {
      request.what = Request::kCollective;
      request.shape = function.whom();
      request.root = root_of(function, words, Arguments::kFortran);
      request.call = call.comm_call = arrive(*known, call.begun());
    }
  }
  const Word result = call.run(words);
  call.account({});
  if (succeeded<Arguments>(function, result, words)) {
    const auto handle = Arguments::template handle_at<MPI_Request>(words[function.request]);
    request.handle = handle_bits(handle);
    if (handle != MPI_REQUEST_NULL) put_request(request);
  }
  return result;
}
LEADLINE_EXPLAIN_HANDLER(collective_start)

// One that may be started again and again, in any order with others of the communicator.
template <typename Arguments>
Word persistent_start(Call& call, const Function& function, Word* words) {
  Communicator* const known = communicator(read_comm<Arguments>(function, words));
  if (known != nullptr) describe<Arguments>(call, function, words, *known);
  const Word result = call.run(words);
  call.account({});
  if (succeeded<Arguments>(function, result, words)) {
    const auto handle = Arguments::template handle_at<MPI_Request>(words[function.request]);
    put_request({.handle = handle_bits(handle),
                 .what = Request::kUnknown,
                 .is_persistent = true,
                 .bytes = call.bytes,
                 .comm = known});
  }
  return result;
}
LEADLINE_EXPLAIN_HANDLER(persistent_start)

}  // namespace leadline::explain
