// What one call sends, or what it receives: left to the library, or packed by leadline.
//
// MPI matches messages by the elements of MPI's own types in them, so each side decides for itself:
// a packed message is so many elements of one such type.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "runtime/messages/datatype.hpp"
#include "runtime/messages/scratch.hpp"

namespace leadline::runtime {

struct Buffer {
  void* address;
  MPI_Count count;
  MPI_Datatype type;
};

enum class Direction { kSend, kReceive };

class Half {
 public:
  // `peer` is a rank, as the program says.
  Half(MessagesOfThread& thread, Direction direction, const Buffer& buffer, int peer);

  // Bytes of memory that it takes packed; 0: it is left to the library.
  std::size_t room() const { return way_ == Way::kOwn ? bytes_ : 0; }
  // It is to be tried which way is faster.
  bool undecided() const { return datatype_ != nullptr && way_ == Way::kUnknown; }
  // Whether there is anything to say of it.
  bool has_gaps() const { return datatype_ != nullptr; }
  std::size_t bytes() const { return bytes_; }
  const char* reason() const { return reason_; }

  const Buffer& buffer() const { return buffer_; }
  // What the library is given instead of the buffer; of a message that is sent, with its data.
  Buffer packed_at(std::byte* memory);
  // So many bytes came to the memory.
  void unpack(const std::byte* memory, std::size_t bytes) const;

  // After a call that succeeded, with so many bytes in the buffer. Leaves the data as they are.
  void learn(MessagesOfThread& thread, MPI_Comm comm, std::size_t bytes);

 private:
  const char* reason_to_leave(int peer);
  void count_packed();

  Direction direction_;
  Buffer buffer_;
  std::shared_ptr<Datatype> datatype_;
  bool known_ = false;
  std::size_t bytes_ = 0;
  FasterWay* faster_ = nullptr;
  Way way_ = Way::kLibrary;
  const char* reason_ = nullptr;
};

// Compares the library's packing, or unpacking, of the data with leadline's and one more copy. The
// buffer holds the whole of them, and holds the same afterwards.
void compare_ways(MessagesOfThread& thread, Direction direction, const Buffer& buffer,
                  const Datatype& datatype, std::size_t bytes, MPI_Comm comm, FasterWay& found);

}  // namespace leadline::runtime
