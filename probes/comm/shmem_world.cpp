#include "comm/shmem_world.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "comm/host.hpp"
#include "harness/coordinate.hpp"

// Open MPI's OpenSHMEM stands on its MPI, whose text says more than shmem_info_get_name does.
extern "C" __attribute__((weak)) int PMPI_Get_library_version(char* text, int* length);

namespace leadline::probe {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

// 64 bits wide because Open MPI 4.1's 32-bit compare-and-swap writes 64 bits to its result.
using AtomicWord = unsigned long long;

// What the flag of a mailbox says; never 0, which says that the mailbox is empty.
AtomicWord pack(int from, std::size_t bytes) {
  return (static_cast<AtomicWord>(from) + 1) << 32 | bytes;
}
int sender_of(AtomicWord flag) { return static_cast<int>(flag >> 32) - 1; }
std::size_t bytes_of(AtomicWord flag) { return flag & 0xffffffffU; }

}  // namespace

struct ShmemWorld::Mailbox {
  // Both change by atomics alone, even where they are local (section 9.7). A put would not do for
  // the flag: a library may store its word twice, the second time after the mailbox was emptied.
  AtomicWord owner;  // sending PE plus one, or 0
  AtomicWord flag;
  // Of the directory that all PEs hold together: PE i says which PE leads node i.
  int leader;
  // The node of the PE that this mailbox is of, where that PE is a leader.
  int node;
  std::byte payload[kPieceBytes];
};

void* allocate_symmetric(std::size_t bytes) {
  void* memory = shmem_malloc(bytes);
  if (memory == nullptr) {
    throw std::runtime_error("the symmetric heap has no room for " + std::to_string(bytes) +
                             " bytes: raise SHMEM_SYMMETRIC_HEAP_SIZE or take a smaller size");
  }
  // Not shmem_calloc: Open MPI 4.1 clears the memory after its barrier, when others may have put.
  std::memset(memory, 0, bytes);
  shmem_barrier_all();
  return memory;
}

void free_symmetric(void* memory) {
  if (std::uncaught_exceptions() == 0) shmem_free(memory);
}

ShmemWorld::ShmemWorld() : mailbox_(make_symmetric<Mailbox>(1)) {
  rank_ = shmem_my_pe();
  size_ = shmem_n_pes();
  find_node();
}

void ShmemWorld::find_node() {
  for (int distance = 0; distance < size_; ++distance) {
    const int pe = (rank_ + distance) % size_;
    if (pe == rank_ || shmem_ptr(mailbox_.get(), pe) != nullptr) {
      members_.push_back(pe);
    } else if (elsewhere_ < 0) {
      elsewhere_ = pe;
    }
  }
  std::sort(members_.begin(), members_.end());
  node_size_ = static_cast<int>(members_.size());
  node_rank_ =
      static_cast<int>(std::find(members_.begin(), members_.end(), rank_) - members_.begin());
  const int below = count_leaders_below();
  nodes_ = agree(*this, node_rank_ == 0 ? 1 : 0, take_sum<int>);
  if (node_rank_ == 0) {
    mailbox_->node = below;
    shmem_int_p(&mailbox_->leader, rank_, below);
  }
  // Completes the puts and the stores above (section 9.8, shmem_barrier_all).
  shmem_barrier_all();
  node_ = shmem_int_g(&mailbox_->node, members_.front());
}

// How many PEs below this one lead a node: an exclusive scan by recursive doubling (Hillis and
// Steele 1986).
int ShmemWorld::count_leaders_below() {
  const int own = node_rank_ == 0 ? 1 : 0;
  int sum = own;
  for (int distance = 1; distance < size_; distance <<= 1) {
    int below = 0;
    if (rank_ + distance < size_) send(&sum, sizeof sum, rank_ + distance);
    if (rank_ >= distance) receive(&below, sizeof below, rank_ - distance);
    sum += below;
  }
  return sum - own;
}

void ShmemWorld::send_piece(const std::byte* data, std::size_t bytes, int to) {
  const auto self = static_cast<AtomicWord>(rank_) + 1;
  while (shmem_ulonglong_atomic_compare_swap(&mailbox_->owner, 0, self, to) != 0) {
    if (shmem_ulonglong_test(&mailbox_->flag, SHMEM_CMP_NE, 0)) empty_mailbox();
    help_library();
    sched_yield();
  }
  if (bytes > 0) shmem_putmem(mailbox_->payload, data, bytes, to);
  // The payload is there before the flag says so (section 9.10, shmem_fence).
  shmem_fence();
  shmem_ulonglong_atomic_set(&mailbox_->flag, pack(rank_, bytes), to);
  // Delivered now: the library may get no other chance while this PE computes.
  shmem_quiet();
}

// OpenSHMEM has no call for this, and looking at memory of the same node does not do it: what other
// nodes send here may wait for ever while this PE polls. Waiting for an answer from there does it.
void ShmemWorld::help_library() const {
  if (elsewhere_ >= 0) shmem_int_g(&mailbox_->node, elsewhere_);
}

// Moves the piece that came to the queue. A wait or test has found the flag set, which orders the
// payload's loads after it (section 9.10, note on shmem_fence).
void ShmemWorld::empty_mailbox() {
  const AtomicWord flag = mailbox_->flag;
  arrived_[sender_of(flag)].emplace_back(mailbox_->payload, mailbox_->payload + bytes_of(flag));
  // The standard orders stores, not the loads of the payload, before what follows.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  shmem_ulonglong_atomic_set(&mailbox_->flag, 0, rank_);
  shmem_fence();
  shmem_ulonglong_atomic_set(&mailbox_->owner, 0, rank_);
}

void ShmemWorld::send(const void* data, std::size_t bytes, int to) {
  const auto* next = static_cast<const std::byte*>(data);
  do {
    const std::size_t part = std::min(bytes, kPieceBytes);
    if (to == rank_) {
      arrived_[rank_].emplace_back(next, next + part);
    } else {
      send_piece(next, part, to);
    }
    next += part;
    bytes -= part;
  } while (bytes > 0);
}

ShmemWorld::Piece ShmemWorld::receive_piece(int from) {
  auto queue = arrived_.find(from);
  for (; queue == arrived_.end(); queue = arrived_.find(from)) {
    // Not a loop of tests: a test need not help the library along (Open MPI 4.1's does not).
    shmem_ulonglong_wait_until(&mailbox_->flag, SHMEM_CMP_NE, 0);
    empty_mailbox();
  }
  Piece piece = std::move(queue->second.front());
  queue->second.pop_front();
  if (queue->second.empty()) arrived_.erase(queue);
  return piece;
}

void ShmemWorld::receive(void* data, std::size_t bytes, int from) {
  auto* next = static_cast<std::byte*>(data);
  do {
    const Piece piece = receive_piece(from);
    const std::size_t expected = std::min(bytes, kPieceBytes);
    if (piece.size() != expected) {
      throw std::length_error("a harness message from rank " + std::to_string(from) + " has " +
                              std::to_string(piece.size()) + " bytes where " +
                              std::to_string(expected) + " are expected");
    }
    if (!piece.empty()) std::memcpy(next, piece.data(), piece.size());
    next += piece.size();
    bytes -= piece.size();
  } while (bytes > 0);
}

void ShmemWorld::exchange(const void* out, std::size_t out_bytes, int to, void* in,
                          std::size_t in_bytes, int from) {
  send(out, out_bytes, to);
  receive(in, in_bytes, from);
}

int ShmemWorld::leader(int node) const { return shmem_int_g(&mailbox_->leader, node); }

double ShmemWorld::now() const { return monotonic_seconds(); }

double ShmemWorld::wait_until(double time) const { return spin_until(time); }

const char* ShmemWorld::clock_source() const { return monotonic_source(); }

KernelClock ShmemWorld::kernel_clock() const { return host_clock(); }

Counters ShmemWorld::counters() const { return thread_counters(); }

double ShmemWorld::waited() const { return thread_waited(); }

double ShmemWorld::stolen() const { return core_stolen(); }

RankPlace ShmemWorld::place() const { return host_place(rank_, node_); }

std::string ShmemWorld::library() const {
  char text[8192] = {};  // more than any library's
  int length = 0;
  if (PMPI_Get_library_version == nullptr || PMPI_Get_library_version(text, &length) != 0) {
    shmem_info_get_name(text);
  }
  return text;
}

std::string ShmemWorld::standard() const {
  int version = 0;
  int subversion = 0;
  shmem_info_get_version(&version, &subversion);
  return std::to_string(version) + "." + std::to_string(subversion);
}

void ShmemWorld::abort(int status) {
  shmem_global_exit(status);
  std::abort();
}

}  // namespace leadline::probe
