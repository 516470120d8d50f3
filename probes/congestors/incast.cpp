// All processes send to one: its link, and what leads there, is asked for more than it has.
#include <memory>
#include <vector>

#include "comm/mpi_world.hpp"
#include "congestors/congestor.hpp"
#include "congestors/messages.hpp"

namespace leadline::probe {
namespace {

// Messages of each sender that are under way together, so that the target never waits for one.
constexpr int kBurst = 4;
constexpr int kTag = 1;

class Incast {
 public:
  Incast(const Party& party, std::size_t bytes)
      : party_(party), messages_(bytes, party.rank == 0 ? (party.size - 1) * kBurst : kBurst) {}

  void fill(std::uint64_t seed) {
    if (party_.rank == 0) return;
    for (int i = 0; i < kBurst; ++i) messages_.fill(i, seed, party_.rank, i);
  }

  void round() {
    std::vector<MPI_Request> requests;
    for (int from = 1; from < party_.size; ++from) {
      if (party_.rank != 0 && party_.rank != from) continue;
      for (int i = 0; i < kBurst; ++i) {
        std::byte* data = messages_.at(party_.rank == 0 ? (from - 1) * kBurst + i : i);
        MPI_Request* request = &requests.emplace_back();
        if (party_.rank == 0) {
          MPI_REQUIRE(MPI_Irecv(data, messages_.bytes(), MPI_BYTE, from, kTag, party_.communicator,
                                request));
        } else {
          MPI_REQUIRE(
              MPI_Isend(data, messages_.bytes(), MPI_BYTE, 0, kTag, party_.communicator, request));
        }
      }
    }
    MPI_REQUIRE(
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  std::size_t wrong_bytes(std::uint64_t seed) {
    std::size_t wrong = 0;
    for (int from = 1; party_.rank == 0 && from < party_.size; ++from) {
      for (int i = 0; i < kBurst; ++i) {
        wrong += messages_.wrong((from - 1) * kBurst + i, seed, from, i);
      }
    }
    return wrong;
  }

 private:
  Party party_;
  PartyMessages messages_;
};

Traffic prepare(const Party& party, std::size_t bytes) {
  const auto incast = std::make_shared<Incast>(party, bytes);
  return traffic_of(incast, party.rank == 0 ? 0.0 : static_cast<double>(bytes) * kBurst);
}

const CongestorRegistration incast({
    .name = "incast",
    .summary = "all processes send to one",
    .minimum = 2,
    .usual_bytes = std::size_t{64} << 10U,
    .prepare = prepare,
});

}  // namespace
}  // namespace leadline::probe
