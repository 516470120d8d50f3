// The kinds of collectives that reduce, so that each test is written once for all.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"

// Each says how many blocks of operands a rank has, and which block of the result it gets, if any.
struct OfReduce {
  using Collective = leadline::coll::Reduce;
  static constexpr auto* library = PMPI_Reduce;
  static constexpr bool rooted = true;
  static int blocks(int) { return 1; }
  static bool has_result(int rank, int root) { return rank == root; }
  static int result_block(int) { return 0; }
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
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    return function(in, out, count, type, op, comm);
  }
};
