// In step k each rank hands what it has added up to the rank 2^k places on: ceil(log2(P)) steps,
// for any number of ranks. What arrives always comes before, so any operation keeps its order.
#include "algorithms/collectives/prefixes.hpp"
#include "algorithms/collectives/reduction.hpp"
#include "algorithms/collectives/scan/scan.hpp"

namespace leadline::coll {

int scan_recursive_doubling(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, elements, commutative, operand] = setup;
  if (elements.data == 0) return MPI_SUCCESS;
  RETURN_IF_FAILED(copy_part(elements, {0, count}, operand, out, comm));
  Scratch arriving;
  RETURN_IF_FAILED(arriving.allocate(elements));
  return add_up_prefix(0, rank, size, out, arriving.address(), elements, op, comm);
}

namespace {

const ScanAlgorithm recursive_doubling{
    "recursive_doubling", "ceil(log2(P)) steps, each to a rank twice as far on",
    "Hillis, Steele: Data Parallel Algorithms, Communications of the ACM 29(12), 1986",
    scan_recursive_doubling};

}  // namespace
}  // namespace leadline::coll
