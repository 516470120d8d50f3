// Every congestor: what it says that it moved, and whether it notices a byte that goes wrong.
#include <doctest/doctest.h>
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "congestors/congestor.hpp"

namespace {

// What is sent goes wrong by one bit while this is set.
bool spoiling = false;

// A copy that lives until the next message is spoilt 64 times over.
const void* spoilt(const void* data, int count) {
  static std::vector<std::vector<char>> copies(64);
  static std::size_t next = 0;
  if (!spoiling || count == 0) return data;
  std::vector<char>& copy = copies[next++ % copies.size()];
  copy.assign(static_cast<const char*>(data), static_cast<const char*>(data) + count);
  copy.back() = static_cast<char>(copy.back() ^ 1);
  return copy.data();
}

}  // namespace

extern "C" int MPI_Alltoall(const void* out, int count, MPI_Datatype type, void* in, int in_count,
                            MPI_Datatype in_type, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return PMPI_Alltoall(spoilt(out, count * size), count, type, in, in_count, in_type, comm);
}

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  return PMPI_Isend(spoilt(data, count), count, type, to, tag, comm, request);
}

extern "C" int MPI_Put(const void* data, int count, MPI_Datatype type, int to, MPI_Aint where,
                       int to_count, MPI_Datatype to_type, MPI_Win window) {
  return PMPI_Put(spoilt(data, count), count, type, to, where, to_count, to_type, window);
}

extern "C" int MPI_Sendrecv(const void* out, int count, MPI_Datatype type, int to, int tag,
                            void* in, int in_count, MPI_Datatype in_type, int from, int in_tag,
                            MPI_Comm comm, MPI_Status* status) {
  return PMPI_Sendrecv(to == MPI_PROC_NULL ? out : spoilt(out, count), count, type, to, tag, in,
                       in_count, in_type, from, in_tag, comm, status);
}

namespace leadline::probe {
namespace {

constexpr std::size_t kBytes = 4096;

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Goes `rounds` rounds beyond the first; `started` counts how often rank 0 was told of it.
Activity go(const Congestor& congestor, int rounds, int& started) {
  int left = rounds;
  return congest(
      congestor, MPI_COMM_WORLD, kBytes, 7, [&] { ++started; },
      [&](const Activity&) { return left-- > 0; });
}

// Bytes of a round of all ranks, by what the congestor is called.
double bytes_of_round(const std::string& name) {
  const double size = ranks();
  const std::map<std::string, double> all{
      {"alltoall", kBytes * size * (size - 1)},
      {"incast", kBytes * 4 * (size - 1)},
      {"rma", kBytes * 4 * (size - 1)},
      {"memory", kBytes * 3 * size},
      {"route", kBytes * 2 * std::floor(size / 2)},
  };
  return all.at(name);
}

TEST_CASE("every congestor moves what it says, and finds it right") {
  CHECK(congestors().size() == 5);
  for (const auto& [name, congestor] : congestors()) {
    if (ranks() < congestor.minimum) continue;
    CAPTURE(name);
    int started = 0;
    const Activity did = go(congestor, 70, started);  // data are looked at again after 64
    CHECK(started == (own_rank() == 0 ? 1 : 0));
    if (own_rank() != 0) continue;
    CHECK(did.rounds == 70);
    CHECK(did.processes == ranks());
    CHECK(did.moved_bytes == doctest::Approx(70 * bytes_of_round(name)));
    CHECK(did.seconds > 0);
  }
}

TEST_CASE("every congestor notices what is left of an earlier round") {
  for (const auto& [name, congestor] : congestors()) {
    if (ranks() < congestor.minimum) continue;
    CAPTURE(name);
    const Party party{MPI_COMM_WORLD, own_rank(), ranks()};
    const Traffic traffic = congestor.prepare(party, kBytes);
    traffic.fill(1);
    traffic.round();
    MPI_Barrier(MPI_COMM_WORLD);
    std::uint64_t right = traffic.wrong_bytes(1);
    std::uint64_t stale = traffic.wrong_bytes(2);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &stale, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(right == 0);
    CHECK(stale > kBytes / 2);
  }
}

TEST_CASE("a bit that goes wrong on the way ends the traffic on every rank") {
  for (const auto& [name, congestor] : congestors()) {
    if (ranks() < 2 || name == "memory") continue;  // which sends nothing
    CAPTURE(name);
    int started = 0;
    spoiling = true;
    CHECK_THROWS_AS(go(congestor, 70, started), std::runtime_error);
    spoiling = false;
    CHECK(started == 0);
  }
}

TEST_CASE("too few processes are refused") {
  int started = 0;
  for (const auto& [name, congestor] : congestors()) {
    if (ranks() >= congestor.minimum) continue;
    CAPTURE(name);
    CHECK_THROWS_AS(go(congestor, 1, started), std::invalid_argument);
  }
  CHECK(started == 0);
}

}  // namespace
}  // namespace leadline::probe
