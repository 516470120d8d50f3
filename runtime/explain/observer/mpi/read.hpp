// What a call is about, read from its arguments as the lists of functions say.
#pragma once

#include "runtime/explain/observer/mpi/communicator.hpp"
#include "runtime/explain/observer/mpi/languages.hpp"
#include "runtime/explain/observer/mpi/requests.hpp"

namespace leadline::explain {

inline long long type_bytes(MPI_Datatype type) {
  int size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  return size > 0 ? size : 0;
}

inline u64 product(long long count, long long size) {
  return count > 0 ? static_cast<u64>(count) * static_cast<u64>(size) : 0;
}

// Of count and type, or of one element.
template <typename Arguments>
u64 read_bytes(const Function& function, const Word* words) {
  if (function.type == kNone) return 0;
  const long long count = function.count == kNone ? 1 : Arguments::count(words[function.count]);
  return product(count, type_bytes(Arguments::template handle<MPI_Datatype>(words[function.type])));
}

// The part of one rank in a collective; of parts of different sizes, their mean.
template <typename Arguments>
u64 read_part(const Function& function, const Word* words, const Communicator& known) {
  const auto type = [&](Place place) {
    return type_bytes(Arguments::template handle<MPI_Datatype>(words[place]));
  };
  const auto sum = [&] {
    long long all = 0;
    for (int i = 0; i < known.size; ++i) all += Arguments::count_at(words[function.counts], i);
    return all;
  };
  const auto size = static_cast<u64>(known.size);
  // What is not for the other group's ranks need not be valid.
  if (known.is_inter) return 0;
  if (function.root != kNone && Arguments::integer(words[function.root]) == known.rank) {
    if (function.counts != kNone) return product(sum(), type(function.root_type)) / size;
    if (function.root_count != kNone) {
      return product(Arguments::count(words[function.root_count]), type(function.root_type));
    }
  }
  if (function.root != kNone || function.counts == kNone) {
    return read_bytes<Arguments>(function, words);
  }
  if (function.types == kNone) return product(sum(), type(function.type)) / size;
  u64 bytes = 0;
  for (int i = 0; i < known.size; ++i) {
    const long long count = Arguments::count_at(words[function.counts], i);
    if (count == 0) continue;  // of nothing, the type need not be valid
    const auto each = Arguments::template handle_at<MPI_Datatype>(words[function.types], i);
    bytes += product(count, type_bytes(each));
  }
  return bytes / size;
}

template <typename Arguments>
MPI_Comm read_comm(const Function& function, const Word* words) {
  const Word word = words[function.comm];
  if (function.freed && word == 0) return MPI_COMM_NULL;
  return function.freed ? Arguments::template handle_at<MPI_Comm>(word)
                        : Arguments::template handle<MPI_Comm>(word);
}

template <typename Arguments, typename Handle>
u64 read_handle(const Function& function, const Word* words, Place place) {
  const Word word = words[place];
  if (function.freed && word == 0) return 0;
  return handle_bits(function.freed ? Arguments::template handle_at<Handle>(word)
                                    : Arguments::template handle<Handle>(word));
}

// The communicator that a call is about, or that of its window or file.
template <typename Arguments>
Communicator* read_communicator(const Function& function, const Word* words) {
  if (function.comm != kNone) return communicator(read_comm<Arguments>(function, words));
  if (function.win != kNone) {
    return kept(read_handle<Arguments, MPI_Win>(function, words, function.win));
  }
  if (function.file != kNone) {
    return kept(read_handle<Arguments, MPI_File>(function, words, function.file));
  }
  return nullptr;
}

template <typename Arguments>
bool succeeded(const Function& function, Word result, const Word* words) {
  return !Arguments::failed(result, words, function.arguments);
}

// Observes a test of nothing that the program keeps. `in_vain(result)` tells whether it has found
// nothing, `describe(call)` what it is about, and `account(call)` counts it otherwise.
template <typename InVain, typename Describe, typename Account>
Word observe_test(const Entry& entry, const Word* words, const void* site, u64 of, InVain in_vain,
                  Describe describe, Account account) {
  const Kind kind = functions[entry.function].kind;
  if (Poll* const poll = untimed_poll(entry, site, of)) {
    const Word result = pass_untimed(entry, words);
    if (in_vain(result)) {
      count_untimed(*poll);
    } else {
      Call call(entry, kind, site, Untimed{});
      describe(call);
      account(call);
    }
    return result;
  }
  Call call(entry, kind, site);
  describe(call);
  const Word result = call.run(words);
  if (in_vain(result)) {
    call.account_in_vain(kind == kTest, of);
  } else {
    account(call);
  }
  return result;
}

}  // namespace leadline::explain

// A handler of entries for all languages.
#define LEADLINE_EXPLAIN_ENTRIES(name)                     \
  template Word name<InC>(Entry&, Word*, const void*);     \
  template Word name<InLarge>(Entry&, Word*, const void*); \
  template Word name<InFortran>(Entry&, Word*, const void*);

// The same of `name(call, function, words)`, which is called where calls are observed.
#define LEADLINE_EXPLAIN_HANDLER(name)                              \
  template <typename Arguments>                                     \
  Word name(Entry& entry, Word* words, const void* site) {          \
    if (!observing()) return pass_on(entry, words);                 \
    Call call(entry, functions[entry.function].kind, site);         \
    return name<Arguments>(call, functions[entry.function], words); \
  }                                                                 \
  LEADLINE_EXPLAIN_ENTRIES(name)
