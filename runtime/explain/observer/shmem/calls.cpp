// Collectives, transfers, waits, and calls of which nothing is known of other PEs.
#include <algorithm>

#include "runtime/explain/observer/group.hpp"
#include "runtime/explain/observer/regions.hpp"
#include "runtime/explain/observer/shmem/function.hpp"
#include "runtime/explain/observer/shmem/set.hpp"
#include "runtime/explain/observer/shmem/writes.hpp"

namespace leadline::explain {
namespace {

int integer(Word word) { return static_cast<int>(word); }

const void* pointer(Word word) { return reinterpret_cast<const void*>(word); }

u64 elements(const Function& function, const Word* arguments) {
  if (function.count != kNone) return static_cast<u64>(arguments[function.count]);
  if (function.int_count != kNone) {
    return static_cast<u64>(std::max(0, integer(arguments[function.int_count])));
  }
  return 1;
}

Group* read_set(const Function& function, const Word* arguments) {
  if (function.team != kNone) return team(arguments[function.team]);
  if (function.set == kNone) return &all_pes();
  const Word* const set = arguments + function.set;
  return active_set(integer(set[0]), integer(set[1]), integer(set[2]));
}

// From the first element to the last one of what a transfer writes.
u64 reach(const Function& function, const Word* arguments, u64 bytes) {
  if (function.is_signal) return sizeof(u64);
  if (function.stride == kNone || bytes == 0) return bytes;
  const auto apart = static_cast<u64>(std::max<Word>(1, arguments[function.stride]));
  return (elements(function, arguments) - 1) * apart * function.element + function.element;
}

// All of it, and for the PE that has written what ended it.
Waited whole(const Function& function, const Word* arguments, const Call& call) {
  Waited waiting{.ticks = call.duration()};
  if (function.object != kNone) {
    const u64 bytes = elements(function, arguments) * function.element;
    waiting.culprit = writer_of(pointer(arguments[function.object]), bytes, call);
  }
  return waiting;
}

}  // namespace

Word collective(Call& call, const Function& function, Word* words) {
  // To free nothing concerns nobody else.
  const bool is_alone = function.freed != kNone && words[function.freed] == 0;
  Group* const set = is_alone ? nullptr : read_set(function, words);
  call.bytes = elements(function, words) * function.element;
  call.comm = set;
  const int root = function.root != kNone ? integer(words[function.root]) : -1;
  if (set != nullptr) {
    call.root = set->world(root);
    call.comm_call = arrive(*set, call.begun());
  }
  const Word result = call.run(words);
  Waited waiting{.partial = !is_alone};
  if (set != nullptr) {
    find_rings(*set);
    call.shape = whom(function.kind);
    waiting = waited(*set, whom(function.kind), root, call.comm_call, call);
  }
  call.account(waiting);
  return result;
}

Word transfer(Call& call, const Function& function, Word* words) {
  const Word* const arguments = words + function.first;
  call.bytes = elements(function, arguments) * function.element;
  call.comm = &all_pes();
  call.peer = integer(arguments[function.peer]);
  count_message(call.peer, call.bytes);
  if (function.target != kNone) {
    note_write(call.peer, pointer(arguments[function.target]),
               reach(function, arguments, call.bytes), call.begun());
  }
  const Word result = call.run(words);
  call.account({.partial = true});
  return result;
}

Word wait(Call& call, const Function& function, Word* words) {
  const Word result = call.run(words);
  call.account(whole(function, words, call));
  return result;
}

Word test(Call& call, const Function& function, Word* words) {
  const Word result = call.run(words);
  if (integer(result) == function.in_vain) {
    call.account_in_vain();
  } else {
    call.account(whole(function, words, call));
  }
  return result;
}

Word plain(Call& call, const Function& function, Word* words) {
  const Word result = call.run(words);
  call.account({.partial = function.kind == kSynchronisation});
  return result;
}

Word region(Call& call, const Function&, Word* words) {
  const Word result = call.run(words);
  end_region(call.begun());
  call.account({});
  begin_region(integer(words[0]), call);
  return result;
}

Word team_destroyed(Call& call, const Function& function, Word* words) {
  forget_team(words[function.team]);
  return plain(call, function, words);
}

// Entries are handled where calls are observed.
#define LEADLINE_EXPLAIN_HANDLER(name)                      \
  Word name(Entry& entry, Word* words, const void* site) {  \
    if (!observing()) return pass_on(entry, words);         \
    Call call(entry, functions[entry.function].kind, site); \
    return name(call, functions[entry.function], words);    \
  }
LEADLINE_EXPLAIN_HANDLER(collective)
LEADLINE_EXPLAIN_HANDLER(transfer)
LEADLINE_EXPLAIN_HANDLER(wait)
LEADLINE_EXPLAIN_HANDLER(test)
LEADLINE_EXPLAIN_HANDLER(plain)
LEADLINE_EXPLAIN_HANDLER(region)
LEADLINE_EXPLAIN_HANDLER(team_destroyed)

}  // namespace leadline::explain
