#include "runtime/messages/scratch.hpp"

#include <bit>
#include <new>
#include <utility>

namespace leadline::runtime {
namespace {

constexpr std::size_t kLeast = 4096;

// Frees what the thread has when it ends; calls after that are the library's.
struct Ending {
  bool ended = false;
  ~Ending() {
    ended = true;
    // A call that an error handler left for good, or a fibre that waits, may still use it.
    if (messages_of_thread != nullptr && !messages_of_thread->busy) delete messages_of_thread;
    messages_of_thread = nullptr;
  }
};
thread_local Ending ending;

}  // namespace

thread_local MessagesOfThread* messages_of_thread = nullptr;

MessagesOfThread* make_messages_of_thread() {
  if (ending.ended) return nullptr;
  return messages_of_thread = new (std::nothrow) MessagesOfThread;
}

Lease::Lease(MessagesOfThread& thread, std::size_t bytes) : thread_(thread) {
  if (thread.busy || bytes == 0) return;
  if (thread.room < bytes) {
    const std::size_t room = std::bit_ceil(bytes < kLeast ? kLeast : bytes);
    std::unique_ptr<std::byte[]> more(new (std::nothrow) std::byte[room]);
    if (more == nullptr) return;
    thread.memory = std::move(more);
    thread.room = room;
  }
  thread.busy = true;
  memory_ = thread.memory.get();
}

Lease::~Lease() {
  if (memory_ != nullptr) thread_.busy = false;
}

}  // namespace leadline::runtime
