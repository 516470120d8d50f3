// How much of each non-blocking collective hides behind computation, by size.
#include <mpi.h>

#include <memory>
#include <utility>

#include "benchmarks/mpi/collective.hpp"
#include "benchmarks/mpi/meeting.hpp"

namespace leadline::probe {
namespace {

constexpr const char* kVector = "size of each rank's vector of doubles";

Operation prepare_iallgather(const Point& point) {
  return overlapped_collective(
      point, [&] { return allgather_data(point, false); },
      [count = static_cast<int>(point.bytes()), communicator = benchmark_communicator()](
          const void* out, void* in, MPI_Request* request) {
        MPI_REQUIRE(
            MPI_Iallgather(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator, request));
      });
}

Operation prepare_ialltoall(const Point& point) {
  return overlapped_collective(
      point, [&] { return alltoall_data(point, false); },
      [count = static_cast<int>(point.bytes()), communicator = benchmark_communicator()](
          const void* out, void* in, MPI_Request* request) {
        MPI_REQUIRE(
            MPI_Ialltoall(out, count, MPI_BYTE, in, count, MPI_BYTE, communicator, request));
      });
}

Operation prepare_ibcast(const Point& point) {
  const int root = root_of(point);
  return overlapped_collective(
      point, [&] { return bcast_data(point, root); },
      [count = static_cast<int>(point.bytes()), root, communicator = benchmark_communicator()](
          const void*, void* message, MPI_Request* request) {
        MPI_REQUIRE(MPI_Ibcast(message, count, MPI_BYTE, root, communicator, request));
      });
}

Operation prepare_iallreduce(const Point& point) {
  return overlapped_collective(
      point, [&] { return summed(point, point.world().size(), false); },
      [count = doubles(point), communicator = benchmark_communicator()](const void* out, void* in,
                                                                        MPI_Request* request) {
        MPI_REQUIRE(MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, communicator, request));
      });
}

Operation prepare_ireduce(const Point& point) {
  const int root = root_of(point);
  const int summands = point.world().rank() == root ? point.world().size() : 0;
  return overlapped_collective(
      point, [&] { return summed(point, summands, false); },
      [count = doubles(point), root, communicator = benchmark_communicator()](
          const void* out, void* in, MPI_Request* request) {
        MPI_REQUIRE(MPI_Ireduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, communicator, request));
      });
}

Operation prepare_ibarrier(const Point& point) {
  return overlapped(point, [&] {
    const auto meeting = std::make_shared<Meeting>(point.world());
    Transfer transfer;
    transfer.start = [meeting, communicator = benchmark_communicator()](MPI_Request* request) {
      meeting->arrive();
      MPI_REQUIRE(MPI_Ibarrier(communicator, request));
    };
    transfer.ended = [meeting] { meeting->leave(); };
    transfer.fill = [meeting](std::uint64_t seed) { meeting->fill(seed); };
    transfer.wrong_bytes = [meeting](std::uint64_t) { return meeting->wrong_bytes(); };
    return transfer;
  });
}

// What all of them have in common; `own` has the rest.
Benchmark completed(Benchmark own) {
  own = blocking(std::move(own));
  own.summary += " alone, computation alone, and both together";
  own.series = overlap_series();
  return own;
}

const Registration iallgather{completed({
    .name = "mpi/iallgather",
    .title = "MPI_Iallgather",
    .summary = "MPI_Iallgather",
    .axes = {bytes_axis(kCollectiveValues, "size of each rank's block"), progress_axis()},
    .prepare = prepare_iallgather,
})};
const Registration ialltoall{completed({
    .name = "mpi/ialltoall",
    .title = "MPI_Ialltoall",
    .summary = "MPI_Ialltoall",
    .axes = {bytes_axis("8,64,512,4K,32K,256K", "size of the block for each rank"),
             progress_axis()},
    .prepare = prepare_ialltoall,
})};
const Registration ibcast{completed({
    .name = "mpi/ibcast",
    .title = "MPI_Ibcast",
    .summary = "MPI_Ibcast",
    .axes = {bytes_axis(kCollectiveValues, "size of the message"), progress_axis(), root_axis()},
    .prepare = prepare_ibcast,
})};
const Registration iallreduce{completed({
    .name = "mpi/iallreduce",
    .title = "MPI_Iallreduce",
    .summary = "MPI_Iallreduce of doubles with MPI_SUM",
    .axes = {bytes_axis(kCollectiveValues, kVector, sizeof(double)), progress_axis()},
    .prepare = prepare_iallreduce,
})};
const Registration ireduce{completed({
    .name = "mpi/ireduce",
    .title = "MPI_Ireduce",
    .summary = "MPI_Ireduce of doubles with MPI_SUM",
    .axes = {bytes_axis(kCollectiveValues, kVector, sizeof(double)), progress_axis(), root_axis()},
    .prepare = prepare_ireduce,
})};
const Registration ibarrier{completed({
    .name = "mpi/ibarrier",
    .title = "MPI_Ibarrier",
    .summary = "MPI_Ibarrier",
    .axes = {progress_axis()},
    .prepare = prepare_ibarrier,
})};

}  // namespace
}  // namespace leadline::probe
