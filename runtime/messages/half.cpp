#include "runtime/messages/half.hpp"

#include "runtime/engine/device_memory.hpp"
#include "runtime/learning/purse.hpp"
#include "runtime/messages/setting.hpp"

namespace leadline::runtime {
namespace {

// Below it no data of a program lie: from MPI_BOTTOM on, all offsets are addresses.
constexpr std::ptrdiff_t kLeastAddress = 4096;

// Gains are told so many calls at a time.
constexpr std::uint32_t kTold = 64;

bool may_touch(const Layout& layout, const void* address) {
  const bool absolute = address == MPI_BOTTOM;
  if (absolute && layout.least_offset < kLeastAddress) return false;
  if (!may_have_device_memory()) return true;
  return !absolute &&
         !is_device_memory(static_cast<const std::byte*>(address) + layout.least_offset);
}

}  // namespace

Half::Half(MessagesOfThread& thread, Direction direction, const Buffer& buffer, int peer)
    : direction_(direction), buffer_(buffer) {
  KnownType& known = thread.types.place(buffer.type);
  known_ = is_known(known, buffer.type);
  if (!known_ && packing_is_forced() && buffer.type != MPI_DATATYPE_NULL) {
    // For tests, whose datatypes are valid.
    look_at(buffer.type, true, known);
    known_ = is_known(known, buffer.type);
  }
  if (!known_ || known.datatype == nullptr) return;
  datatype_ = known.datatype;
  reason_ = reason_to_leave(peer);
  if (reason_ != nullptr) return;
  FasterWays& ways = direction == Direction::kSend ? datatype_->sent : datatype_->received;
  faster_ = &ways.of(bytes_);
  way_ = packing_is_forced() ? Way::kOwn : faster_->way.load(std::memory_order_acquire);
  reason_ = way_ == Way::kUnknown ? "undecided" : "the library is faster";
}

const char* Half::reason_to_leave(int peer) {
  const Layout& layout = datatype_->layout();
  if (buffer_.count <= 0 || peer == MPI_PROC_NULL) return "no data";
  const auto count = static_cast<std::size_t>(buffer_.count);
  if (count > datatype_->most_bytes / layout.bytes) return "too long to be copied twice";
  bytes_ = count * layout.bytes;
  return may_touch(layout, buffer_.address) ? nullptr : "device memory";
}

Buffer Half::packed_at(std::byte* memory) {
  if (direction_ == Direction::kSend) pack(datatype_->layout(), buffer_.address, memory, bytes_);
  count_packed();
  return {.address = memory,
          .count = static_cast<MPI_Count>(bytes_ / datatype_->is.element_bytes),
          .type = datatype_->is.element};
}

void Half::unpack(const std::byte* memory, std::size_t bytes) const {
  if (bytes <= bytes_) runtime::unpack(datatype_->layout(), memory, buffer_.address, bytes);
}

void Half::count_packed() {
  datatype_->packed.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t calls = faster_->calls.fetch_add(1, std::memory_order_relaxed) + 1;
  if (calls % kTold == 0 && faster_->saved > 0) {
    purse().gain(static_cast<double>(faster_->saved) * kTold);
  }
}

void Half::learn(MessagesOfThread& thread, MPI_Comm comm, std::size_t bytes) {
  // Callbacks of the program's in the call may have taken the place.
  if (!known_) look_at(buffer_.type, true, thread.types.place(buffer_.type));
  if (!undecided() || bytes < bytes_ / 2 || bytes % datatype_->layout().bytes != 0) return;
  Buffer whole = buffer_;
  whole.count = static_cast<MPI_Count>(bytes / datatype_->layout().bytes);
  if (whole.count == 0) return;
  compare_ways(thread, direction_, whole, *datatype_, bytes, comm, *faster_);
}

}  // namespace leadline::runtime
