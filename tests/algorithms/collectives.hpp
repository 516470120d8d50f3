// All collectives that have algorithms.
#pragma once

#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/allgatherv/allgatherv.hpp"
#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/collectives/alltoallv/alltoallv.hpp"
#include "algorithms/collectives/barrier/barrier.hpp"
#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/exscan/exscan.hpp"
#include "algorithms/collectives/gather/gather.hpp"
#include "algorithms/collectives/gatherv/gatherv.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/scan/scan.hpp"
#include "algorithms/collectives/scatter/scatter.hpp"
#include "algorithms/collectives/scatterv/scatterv.hpp"
