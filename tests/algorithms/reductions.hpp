// The kinds of collectives that reduce, so that each test is written once for all.
#pragma once

#include <mpi.h>

#include <vector>

#include "collectives.hpp"

// Each says how many blocks of operands a rank has, which block of the result it gets, if any, and
// of how many ranks, from the first on. Most have one block, and all of its sum on every rank.
template <typename Of>
struct OfReductions {
  using Collective = Of;
  static constexpr bool rooted = false;
  static int blocks(int) { return 1; }
  static bool has_result(int, int) { return true; }
  static int result_block(int) { return 0; }
  static int summed(int, int size) { return size; }
  static int call(typename Of::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    return function(in, out, count, type, op, comm);
  }
};

struct OfAllreduce : OfReductions<leadline::coll::Allreduce> {
  static constexpr auto* library = PMPI_Allreduce;
};

struct OfReduce : OfReductions<leadline::coll::Reduce> {
  static constexpr auto* library = PMPI_Reduce;
  static constexpr bool rooted = true;
  static bool has_result(int rank, int root) { return rank == root; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    return function(in, out, count, type, op, root, comm);
  }
};

struct OfReduceScatterBlock : OfReductions<leadline::coll::ReduceScatterBlock> {
  static constexpr auto* library = PMPI_Reduce_scatter_block;
  static int blocks(int size) { return size; }
  static int result_block(int rank) { return rank; }
};

// With as many elements in each block; test_reduce_scatter.cpp has others.
struct OfReduceScatter : OfReductions<leadline::coll::ReduceScatter> {
  static constexpr auto* library = PMPI_Reduce_scatter;
  static int blocks(int size) { return size; }
  static int result_block(int rank) { return rank; }
  static int call(Collective::Function* function, const void* in, void* out, int count,
                  MPI_Datatype type, MPI_Op op, int, MPI_Comm comm) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    const std::vector<int> counts(static_cast<std::size_t>(size), count);
    return function(in, out, counts.data(), type, op, comm);
  }
};

struct OfScan : OfReductions<leadline::coll::Scan> {
  static constexpr auto* library = PMPI_Scan;
  static int summed(int rank, int) { return rank + 1; }
};

struct OfExscan : OfReductions<leadline::coll::Exscan> {
  static constexpr auto* library = PMPI_Exscan;
  static bool has_result(int rank, int) { return rank > 0; }
  static int summed(int rank, int) { return rank; }
};
