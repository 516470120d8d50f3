// The data go from rank to rank in segments, and each rank passes one on while it receives the
// next: for large data nearly as fast as to a single rank, however many ranks.
//
// With P ranks, n bytes in segments of s, and a message of s bytes in latency + s/bandwidth, the
// last segment arrives after (P-2 + n/s) messages. That is least for s = sqrt(n h / (P-2)), where
// h = latency * bandwidth is the size that takes twice the time of an empty message (Hockney's
// n_1/2). h is not measured here: 8 KiB lies between what is usual within a node and between nodes,
// and a factor of four in h costs at most a quarter of the time. All ranks know n and P, so they
// agree on s.
//
// Segments are cut at bytes, so that ranks may describe the data by different datatypes. Data whose
// bytes MPI's int cannot count are left to the binomial tree.
#include <algorithm>
#include <cmath>

#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/bcast/stream.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

constexpr double kHalfBandwidthBytes = 8192;
constexpr std::size_t kLeastSegment = 1024;
constexpr std::size_t kCacheLine = 64;

std::size_t segment_bytes(std::size_t bytes, int size) {
  if (size <= 2) return bytes;
  const double best = std::sqrt(static_cast<double>(bytes) * kHalfBandwidthBytes / (size - 2));
  const auto lines = static_cast<std::size_t>(std::ceil(best / kCacheLine));
  return std::clamp(lines * kCacheLine, std::min(kLeastSegment, bytes), bytes);
}

int bcast_chain(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(count, type, comm));
  const auto& [rank, size, elements] = shape;
  if (size == 1 || elements.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(elements.data)) return bcast_binomial(data, count, type, root, comm);

  Stream stream;
  RETURN_IF_FAILED(stream.open(data, count, type, elements.data, rank == root, comm));
  const int next = (rank + 1) % size;
  const int receiver = next == root ? MPI_PROC_NULL : next;
  const int sender = rank == root ? MPI_PROC_NULL : (rank + size - 1) % size;
  const std::size_t segment = segment_bytes(stream.size(), size);
  // What arrives in one step is passed on in the next.
  std::size_t sent = 0;
  std::size_t received = rank == root ? std::min(segment, stream.size()) : 0;
  while (sent < stream.size()) {
    const std::size_t arriving = std::min(segment, stream.size() - received);
    const std::size_t leaving = received - sent;
    RETURN_IF_FAILED(PMPI_Sendrecv(stream.at(sent), static_cast<int>(leaving), MPI_PACKED,
                                   leaving == 0 ? MPI_PROC_NULL : receiver, kAlgorithmTag,
                                   stream.at(received), static_cast<int>(arriving), MPI_PACKED,
                                   arriving == 0 ? MPI_PROC_NULL : sender, kAlgorithmTag, comm,
                                   MPI_STATUS_IGNORE));
    sent += leaving;
    received += arriving;
  }
  return rank == root ? MPI_SUCCESS : stream.deliver(comm);
}

const BcastAlgorithm chain{
    "chain",
    "segments from rank to rank, each passed on while the next arrives; segments of "
    "sqrt(n * 8 KiB / (P-2)) bytes",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    bcast_chain};

}  // namespace
}  // namespace leadline::coll
