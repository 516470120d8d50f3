// What is known of the datatypes of a program.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <memory>

#include "runtime/engine/memo.hpp"
#include "runtime/messages/decode.hpp"
#include "runtime/messages/faster_way.hpp"

namespace leadline::runtime {

// A datatype of the program's whose data have gaps.
struct Datatype {
  explicit Datatype(Decoded decoded);

  const Decoded is;
  // Bytes of a message up to which leadline may pack it.
  const std::size_t most_bytes;
  FasterWays sent;
  FasterWays received;
  std::atomic<std::uint32_t> packed{0};

  const Layout& layout() const { return *is.layout; }
};

// What a thread knows of a handle.
struct KnownType {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool forever = false;   // one of MPI's own
  bool examined = false;  // else `uses` counts the calls with it
  unsigned gone = 0;
  unsigned uses = 0;
  std::shared_ptr<Datatype> datatype;  // nullptr: nothing to pack
};

// Counts the datatypes that have gone: their handles may stand for others now.
inline std::atomic<unsigned> datatypes_gone{0};

inline bool is_known(const KnownType& known, MPI_Datatype type) {
  return known.type == type && known.examined &&
         (known.forever || known.gone == datatypes_gone.load(std::memory_order_acquire));
}

// Fills `known` with what is found out about the datatype now. A type of the program's is only
// asked about where the library has just `taken` it in a call, so that it is valid, and after some
// calls, since types that are freed at once are not worth it.
void look_at(MPI_Datatype type, bool taken, KnownType& known);

}  // namespace leadline::runtime
