// A blocking call with messages, in any language, around the library's own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "runtime/messages/half.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {

// Whether this datatype is known to have no gaps, or none that leadline packs.
inline bool is_left(MessagesOfThread* thread, MPI_Datatype type) {
  if (thread == nullptr) return true;
  const KnownType& known = thread->types.place(type);
  return is_known(known, type) && known.datatype == nullptr;
}

void record_message(const char* name, const void* site, MPI_Comm comm, const Half* sent,
                    const Half* received, bool packed, std::uint64_t duration);

// `call(sent, received, bytes)` calls the library with these buffers, of which one is left out
// where the function only sends or receives, and puts the number of bytes that came into `bytes`
// unless that is nullptr.
template <typename Call>
int carry_message(const char* name, const void* site, MessagesOfThread& thread, Half* sent,
                  Half* received, MPI_Comm comm, const Call& call) {
  constexpr std::size_t kLine = 64;
  const std::uint64_t begin = kReporting ? ticks() : 0;
  const std::size_t out_room = sent != nullptr ? (sent->room() + kLine - 1) / kLine * kLine : 0;
  const std::size_t in_room = received != nullptr ? received->room() : 0;
  int bytes = 0;
  int code = MPI_SUCCESS;
  bool packed = false;
  {
    const Lease lease(thread, out_room + in_room);
    packed = lease.memory() != nullptr;
    const bool unpacks = packed && in_room > 0;
    std::byte* const in = lease.memory() + out_room;
    const Buffer none{.address = nullptr, .count = 0, .type = MPI_DATATYPE_NULL};
    const Buffer out_buffer = sent == nullptr          ? none
                              : packed && out_room > 0 ? sent->packed_at(lease.memory())
                                                       : sent->buffer();
    const Buffer in_buffer = received == nullptr ? none
                             : unpacks           ? received->packed_at(in)
                                                 : received->buffer();
    const bool asks = received != nullptr && (unpacks || received->undecided());
    code = call(out_buffer, in_buffer, asks ? &bytes : nullptr);
    // Of a message that was too long, what the library has put into the memory is not known.
    if (unpacks && code == MPI_SUCCESS) received->unpack(in, static_cast<std::size_t>(bytes));
  }
  const std::uint64_t end = kReporting ? ticks() : 0;
  if (code == MPI_SUCCESS) {
    if (sent != nullptr) sent->learn(thread, comm, sent->bytes());
    if (received != nullptr) received->learn(thread, comm, static_cast<std::size_t>(bytes));
  }
  if (kReporting) record_message(name, site, comm, sent, received, packed, end - begin);
  return code;
}

}  // namespace leadline::runtime
