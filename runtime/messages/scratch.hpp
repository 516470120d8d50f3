// A thread's memory for packed messages, and what it knows of datatypes.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/engine/memo.hpp"
#include "runtime/messages/datatype.hpp"

namespace leadline::runtime {

// The longest message that is packed.
inline constexpr std::size_t kMostScratch = std::size_t{1} << 20;

struct MessagesOfThread {
  Memo<KnownType> types;
  std::unique_ptr<std::byte[]> memory;
  std::size_t room = 0;
  // A call within another one of this thread, as in an error handler, is the library's.
  bool busy = false;
};

// nullptr where the thread is ending, or memory is lacking. Libraries that are loaded late have
// little room for variables of threads: this takes a pointer.
extern thread_local MessagesOfThread* messages_of_thread;
MessagesOfThread* make_messages_of_thread();

inline MessagesOfThread* this_thread() {
  MessagesOfThread* const known = messages_of_thread;
  return known != nullptr ? known : make_messages_of_thread();
}

// The memory of a thread as long as one call uses it.
class Lease {
 public:
  Lease(MessagesOfThread& thread, std::size_t bytes);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // nullptr: there is none, or none was asked for.
  std::byte* memory() const { return memory_; }

 private:
  MessagesOfThread& thread_;
  std::byte* memory_ = nullptr;
};

}  // namespace leadline::runtime
