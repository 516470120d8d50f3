// The kinds of collectives that reduce, so that each test is written once for all.
#pragma once

#include <mpi.h>

#include <vector>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/exscan/exscan.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/scan/scan.hpp"

// Each says how many blocks of operands a rank has, which block of the result it gets, if any, and
// of how many ranks, from the first on.
struct OfReduce {
  using Collective = leadline::coll::Reduce;
  static constexpr auto* library = PMPI_Reduce;
  static constexpr bool rooted = true;
  static int blocks(int) { return 1; }
  static bool has_result(int rank, int root) { return rank == root; }
  static int result_block(int) { return 0; }
  static int summed(int, int size) { return size; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return function(in, out, count, type, op, root, comm);
  }
};

struct OfAllreduce {
  using Collective = leadline::coll::Allreduce;
  static constexpr auto* library = PMPI_Allreduce;
  static constexpr bool rooted = false;
  static int blocks(int) { return 1; }
  static bool has_result(int, int) { return true; }
  static int result_block(int) { return 0; }
  static int summed(int, int size) { return size; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    return function(in, out, count, type, op, comm);
  }
};

struct OfReduceScatterBlock {
  using Collective = leadline::coll::ReduceScatterBlock;
  static constexpr auto* library = PMPI_Reduce_scatter_block;
  static constexpr bool rooted = false;
  static int blocks(int size) { return size; }
  static bool has_result(int, int) { return true; }
  static int result_block(int rank) { return rank; }
  static int summed(int, int size) { return size; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    return function(in, out, count, type, op, comm);
  }
};

// With as many elements in each block; test_reduce_scatter.cpp has others.
struct OfReduceScatter {
  using Collective = leadline::coll::ReduceScatter;
  static constexpr auto* library = PMPI_Reduce_scatter;
  static constexpr bool rooted = false;
  static int blocks(int size) { return size; }
  static bool has_result(int, int) { return true; }
  static int result_block(int rank) { return rank; }
  static int summed(int, int size) { return size; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    const std::vector<int> counts(static_cast<std::size_t>(size), count);
    return function(in, out, counts.data(), type, op, comm);
  }
};

struct OfScan {
  using Collective = leadline::coll::Scan;
  static constexpr auto* library = PMPI_Scan;
  static constexpr bool rooted = false;
  static int blocks(int) { return 1; }
  static bool has_result(int, int) { return true; }
  static int result_block(int) { return 0; }
  static int summed(int rank, int) { return rank + 1; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    return function(in, out, count, type, op, comm);
  }
};

struct OfExscan {
  using Collective = leadline::coll::Exscan;
  static constexpr auto* library = PMPI_Exscan;
  static constexpr bool rooted = false;
  static int blocks(int) { return 1; }
  static bool has_result(int rank, int) { return rank > 0; }
  static int result_block(int) { return 0; }
  static int summed(int rank, int) { return rank; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    return function(in, out, count, type, op, comm);
  }
};
