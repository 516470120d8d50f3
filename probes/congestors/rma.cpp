// All processes put into one window: as incast does, but the target takes no part.
#include <cstring>
#include <memory>

#include "benchmarks/rma/window.hpp"
#include "comm/mpi_world.hpp"
#include "congestors/congestor.hpp"
#include "congestors/messages.hpp"

namespace leadline::probe {
namespace {

constexpr int kTarget = 0;
// Puts of each process that are under way together.
constexpr int kBurst = 4;

class Storm {
 public:
  Storm(const Party& party, std::size_t bytes)
      : party_(party),
        messages_(bytes, kBurst),
        window_(Window::Kind::kAllocate,
                party.rank == kTarget ? bytes * kBurst * static_cast<std::size_t>(party.size) : 0,
                party.communicator) {
    MPI_REQUIRE(MPI_Barrier(party.communicator));  // the memory is touched before anybody puts
    MPI_REQUIRE(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_.handle()));
  }
  ~Storm() { MPI_Win_unlock_all(window_.handle()); }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

  void fill(std::uint64_t seed) {
    for (int i = 0; i < kBurst; ++i) messages_.fill(i, seed, party_.rank, i);
  }

  void round() {
    if (party_.rank == kTarget) return;
    for (int i = 0; i < kBurst; ++i) {
      MPI_REQUIRE(MPI_Put(messages_.at(i), messages_.bytes(), MPI_BYTE, kTarget,
                          static_cast<MPI_Aint>(offset(party_.rank, i)), messages_.bytes(),
                          MPI_BYTE, window_.handle()));
    }
    MPI_REQUIRE(MPI_Win_flush(kTarget, window_.handle()));
  }

  std::size_t wrong_bytes(std::uint64_t seed) {
    MPI_REQUIRE(MPI_Barrier(party_.communicator));
    MPI_REQUIRE(MPI_Win_sync(window_.handle()));
    std::size_t wrong = 0;
    for (int from = 1; party_.rank == kTarget && from < party_.size; ++from) {
      for (int i = 0; i < kBurst; ++i) {
        std::memcpy(messages_.at(i), window_.memory() + offset(from, i), bytes());
        wrong += messages_.wrong(i, seed, from, i);
      }
    }
    return wrong;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(messages_.bytes()); }
  std::size_t offset(int from, int i) const {
    return bytes() * static_cast<std::size_t>(from * kBurst + i);
  }

  Party party_;
  PartyMessages messages_;
  Window window_;
};

Traffic prepare(const Party& party, std::size_t bytes) {
  const auto storm = std::make_shared<Storm>(party, bytes);
  return traffic_of(storm, party.rank == kTarget ? 0.0 : static_cast<double>(bytes) * kBurst);
}

const CongestorRegistration rma({
    .name = "rma",
    .summary = "all processes put into one window",
    .minimum = 2,
    .usual_bytes = std::size_t{64} << 10U,
    .prepare = prepare,
});

}  // namespace
}  // namespace leadline::probe
