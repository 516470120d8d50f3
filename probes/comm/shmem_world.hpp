// PEs of an OpenSHMEM 1.4 program. Sections named here and in shmem_world.cpp are of that standard.
#pragma once

#include <shmem.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/world.hpp"

namespace leadline::probe {

// Symmetric memory of `bytes` bytes, all zero; collective, as is giving it back. Throws
// std::runtime_error where the symmetric heap has no room.
void* allocate_symmetric(std::size_t bytes);
// Does nothing while an exception ends this PE: the others will not come to a collective call.
void free_symmetric(void* memory);

template <typename T>
using Symmetric = std::unique_ptr<T, decltype(&free_symmetric)>;

template <typename T>
Symmetric<T> make_symmetric(std::size_t count) {
  return {static_cast<T*>(allocate_symmetric(count * sizeof(T))), &free_symmetric};
}

// Messages go through a mailbox in symmetric memory, one for each PE however many there are. A
// sender owns it for one piece of a message; the receiver empties it into a queue whenever it waits
// for anything, to send too, so that no cycle of senders can stand still.
//
// PEs whose memory this one can address directly (shmem_ptr, section 9.3) are those of its node.
class ShmemWorld : public World {
 public:
  // OpenSHMEM must be initialised; collective, as is its end.
  ShmemWorld();

  void send(const void* data, std::size_t bytes, int to) override;
  void receive(void* data, std::size_t bytes, int from) override;
  void exchange(const void* out, std::size_t out_bytes, int to, void* in, std::size_t in_bytes,
                int from) override;
  int leader(int node) const override;
  int member(int index) const override { return members_.at(static_cast<std::size_t>(index)); }
  double now() const override;
  bool clock_shared() const override { return true; }
  double wait_until(double time) const override;
  const char* clock_source() const override;
  KernelClock kernel_clock() const override;
  Counters counters() const override;
  double waited() const override;
  double stolen() const override;
  RankPlace place() const override;
  std::string library() const override;
  std::string standard() const override;
  [[noreturn]] void abort(int status) override;

 private:
  struct Mailbox;
  using Piece = std::vector<std::byte>;

  void find_node();
  int count_leaders_below();
  void send_piece(const std::byte* data, std::size_t bytes, int to);
  Piece receive_piece(int from);
  void help_library() const;
  void empty_mailbox();

  Symmetric<Mailbox> mailbox_;
  std::map<int, std::deque<Piece>> arrived_;  // by sender, only those who are ahead of this PE
  std::vector<int> members_;                  // PEs of this node
  int elsewhere_ = -1;                        // a PE of another node, where there is one
};

}  // namespace leadline::probe
