// On one node, ranks read the operands of those before them in shared memory; of longer data each
// reduces a part for all. Several nodes are left to the library.
//
// On several nodes, operations of the user's and types with gaps are left to recursive doubling.
#include "algorithms/collectives/scan/scan.hpp"
#include "algorithms/node_mpi/prefixes.hpp"

namespace leadline::node {
namespace {

int scan_shared(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return shared_prefix({in, out, count, type, op, comm}, Prefix::kInclusive, PMPI_Scan,
                       coll::scan_recursive_doubling);
}

const coll::ScanAlgorithm shared{
    "shared",
    "reduced in shared memory on one node; the library's between nodes; recursive doubling "
    "between nodes for operations of the user's and types with gaps",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    scan_shared};

}  // namespace
}  // namespace leadline::node
