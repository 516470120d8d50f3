#include "algorithms/node_mpi/ordered_reduction.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

// What a rank needs at a time for the operands of its part, and for results.
constexpr std::size_t kBytesOfTurn = std::size_t{1} << 20;

constexpr int kEverywhere = -1;

}  // namespace

int OrderedReduction::describe(SharedCommunicator& shared, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
  MPI_Aint lower_bound = 0;
  int size = 0;
  int commutative = 0;
  RETURN_IF_FAILED(PMPI_Type_get_extent(type, &lower_bound, &extent_));
  RETURN_IF_FAILED(PMPI_Type_size(type, &size));
  // Whether it is an operation: not every rank will call it.
  RETURN_IF_FAILED(PMPI_Op_commutative(op, &commutative));
  node_ = &shared.node();
  type_ = type;
  op_ = op;
  comm_ = comm;
  element_bytes_ = static_cast<std::size_t>(size);
  return MPI_SUCCESS;
}

template <typename ByParts>
int OrderedReduction::in_turns(const void* in, void* out, int count, int ranks,
                               const ByParts& by_parts) {
  if (bytes_of(count) == 0) return MPI_SUCCESS;
  Row row;
  RETURN_IF_FAILED(row.describe(in == MPI_IN_PLACE ? out : in, count, type_, 1, comm_));
  RETURN_IF_FAILED(row.pack());
  const int most = std::max(node_->size(), static_cast<int>(kBytesOfTurn / element_bytes_));
  for (int at = 0; at < count;) {
    const int now = std::min(most, count - at);
    const auto turn = [&](int first, int elements) {
      return Turn{.operands = row.data() + bytes_of(first),
                  .out = static_cast<std::byte*>(out) + first * extent_,
                  .count = elements};
    };
    const int rest = in_one_step(now) ? now : now % node_->size();
    if (rest < now) RETURN_IF_FAILED(by_parts(turn(at, now - rest)));
    if (rest > 0) RETURN_IF_FAILED(directly(turn(at + now - rest, rest), ranks));
    at += now;
  }
  return node_->finish();
}

template <typename Take>
int OrderedReduction::fold(const std::byte* operands, int count, int ranks, const Take& take) {
  coll::Elements elements;
  coll::Scratch scratch[2];
  RETURN_IF_FAILED(coll::describe_elements(count, type_, elements));
  for (coll::Scratch& room : scratch) RETURN_IF_FAILED(room.allocate(elements));
  void* sum = scratch[0].address();
  void* next = scratch[1].address();
  const std::size_t bytes = bytes_of(count);
  for (int rank = 0; rank < ranks; ++rank, operands += bytes) {
    RETURN_IF_FAILED(coll::unpack(operands, bytes, next, count, type_, comm_));
    if (rank > 0) RETURN_IF_FAILED(PMPI_Reduce_local(sum, next, count, type_, op_));
    std::swap(sum, next);
    RETURN_IF_FAILED(take(rank, sum));
  }
  return MPI_SUCCESS;
}

// One exchange instead of two; and where there are fewer elements than ranks, most have no part.
bool OrderedReduction::in_one_step(int count) const {
  return bytes_of(count) <= Cell::kBytes || count < node_->size();
}

int OrderedReduction::directly(const Turn& turn, int ranks) {
  const std::size_t bytes = bytes_of(turn.count);
  coll::Scratch all;
  coll::Elements elements;
  RETURN_IF_FAILED(all.allocate_bytes(bytes * static_cast<std::size_t>(node_->size())));
  RETURN_IF_FAILED(coll::describe_elements(turn.count, type_, elements));
  allgather(*node_, turn.operands, all.address(), bytes);
  return fold(all.bytes(), turn.count, ranks, [&](int rank, const void* sum) -> int {
    if (rank < ranks - 1) return MPI_SUCCESS;
    return coll::copy_elements(elements, sum, turn.out, comm_);
  });
}

int OrderedReduction::by_parts(const Turn& turn, int root) {
  const int ranks = node_->size();
  const int each = turn.count / ranks;
  const std::size_t part = bytes_of(each);
  const bool gets = root == kEverywhere || root == node_->rank();
  coll::Scratch arrived;
  coll::Scratch mine;
  RETURN_IF_FAILED(arrived.allocate_bytes(part * static_cast<std::size_t>(ranks)));
  RETURN_IF_FAILED(mine.allocate_bytes(part));
  alltoall(*node_, turn.operands, arrived.address(), part);
  RETURN_IF_FAILED(fold(arrived.bytes(), each, ranks, [&](int rank, const void* sum) -> int {
    if (rank < ranks - 1) return MPI_SUCCESS;
    return coll::pack(sum, each, type_, mine.address(), part, comm_);
  }));
  if (root == kEverywhere) {
    allgather(*node_, mine.address(), arrived.address(), part);
  } else {
    gather(*node_, mine.address(), arrived.address(), part, root);
  }
  if (gets) {
    RETURN_IF_FAILED(coll::unpack(arrived.address(), part * static_cast<std::size_t>(ranks),
                                  turn.out, each * ranks, type_, comm_));
  }
  return MPI_SUCCESS;
}

int OrderedReduction::scan_by_parts(const Turn& turn, Prefix prefix) {
  const int ranks = node_->size();
  const int each = turn.count / ranks;
  const std::size_t part = bytes_of(each);
  const std::size_t all = part * static_cast<std::size_t>(ranks);
  coll::Scratch arrived;
  coll::Scratch sums;  // for each rank
  RETURN_IF_FAILED(arrived.allocate_bytes(all));
  RETURN_IF_FAILED(sums.allocate_bytes(all));
  alltoall(*node_, turn.operands, arrived.address(), part);
  const int shift = prefix == Prefix::kInclusive ? 0 : 1;
  RETURN_IF_FAILED(fold(arrived.bytes(), each, ranks - shift, [&](int rank, const void* sum) {
    std::byte* const to = sums.bytes() + static_cast<std::size_t>(rank + shift) * part;
    return coll::pack(sum, each, type_, to, part, comm_);
  }));
  alltoall(*node_, sums.address(), arrived.address(), part);
  if (node_->rank() < shift) return MPI_SUCCESS;
  return coll::unpack(arrived.address(), all, turn.out, each * ranks, type_, comm_);
}

int OrderedReduction::allreduce(const void* in, void* out, int count) {
  return in_turns(in, out, count, node_->size(),
                  [&](const Turn& turn) { return by_parts(turn, kEverywhere); });
}

int OrderedReduction::reduce(const void* in, void* out, int count, int root) {
  return in_turns(in, out, count, node_->rank() == root ? node_->size() : 0,
                  [&](const Turn& turn) { return by_parts(turn, root); });
}

int OrderedReduction::scan(const void* in, void* out, int count, Prefix prefix) {
  return in_turns(in, out, count, node_->rank() + (prefix == Prefix::kInclusive ? 1 : 0),
                  [&](const Turn& turn) { return scan_by_parts(turn, prefix); });
}

int OrderedReduction::reduce_scatter_block(const void* in, void* out, int count) {
  const std::size_t bytes = bytes_of(count);
  if (bytes == 0) return MPI_SUCCESS;
  const int ranks = node_->size();
  Row row;
  RETURN_IF_FAILED(row.describe(in == MPI_IN_PLACE ? out : in, count, type_, ranks, comm_));
  RETURN_IF_FAILED(row.pack());
  coll::Scratch arrived;
  coll::Elements elements;
  RETURN_IF_FAILED(arrived.allocate_bytes(bytes * static_cast<std::size_t>(ranks)));
  RETURN_IF_FAILED(coll::describe_elements(count, type_, elements));
  alltoall(*node_, row.data(), arrived.address(), bytes);
  RETURN_IF_FAILED(fold(arrived.bytes(), count, ranks, [&](int rank, const void* sum) -> int {
    if (rank < ranks - 1) return MPI_SUCCESS;
    return coll::copy_elements(elements, sum, out, comm_);
  }));
  return node_->finish();
}

}  // namespace leadline::node
