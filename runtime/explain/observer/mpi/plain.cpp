// Calls of which nothing is known of the other ranks.
#include "runtime/explain/observer/mpi/read.hpp"
#include "runtime/explain/observer/regions.hpp"

namespace leadline::explain {

template <typename Arguments>
Word plain(Call& call, const Function& function, Word* words) {
  call.comm = read_communicator<Arguments>(function, words);
  call.bytes = read_bytes<Arguments>(function, words);
  if (function.peer != kNone && call.comm != nullptr) {
    call.peer = call.comm->world(Arguments::integer(words[function.peer]));
    if (function.kind == kOneSided) count_message(call.peer, call.bytes);
  }
  const Word result = call.run(words);
  call.account({.ticks = function.waits ? call.duration() : 0,
                .partial = function.kind == kOneSided || function.kind == kSynchronisation ||
                           function.kind == kReceive});
  if (function.new_comm != kNone && succeeded<Arguments>(function, result, words)) {
    const auto made = Arguments::template handle_at<MPI_Comm>(words[function.new_comm]);
    Communicator* const known = communicator(made);
    if (known != nullptr) agree(*known, made);
  }
  return result;
}
LEADLINE_EXPLAIN_HANDLER(plain)

template <typename Arguments>
Word region(Call& call, const Function&, Word* words) {
  const Word result = call.run(words);
  end_region(call.begun());
  call.account({});
  begin_region(Arguments::integer(words[0]), call);
  return result;
}
LEADLINE_EXPLAIN_HANDLER(region)

}  // namespace leadline::explain
