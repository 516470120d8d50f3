#include "algorithms/node_mpi/node_mpi.hpp"

#include <sched.h>

#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/survey.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"

namespace leadline::node {
namespace {

// The rank that is waited for may itself wait for a message of this rank, sent before and not yet
// delivered: MPI promises that it arrives, so a waiting rank must let the library work.
class ProgressOfMessages final : public Progress {
 public:
  explicit ProgressOfMessages(MPI_Comm comm) : comm_(comm) {}
  int make() override {
    int found = 0;
    return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_;
};

int find_crowded(MPI_Comm ranks, int size, bool& crowded) {
  cpu_set_t mine;
  cpu_set_t all;
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  sched_getaffinity(0, sizeof mine, &mine);
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, ranks));
  crowded = CPU_COUNT(&all) < size;
  return MPI_SUCCESS;
}

}  // namespace

int create_node(MPI_Comm ranks, MPI_Comm comm, std::unique_ptr<Node>& node) {
  int rank = 0;
  int size = 0;
  bool crowded = false;
  RETURN_IF_FAILED(PMPI_Comm_rank(ranks, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(ranks, &size));
  RETURN_IF_FAILED(find_crowded(ranks, size, crowded));
  int all = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &all));
  // Who waits for other nodes waits long, and not for a rank that is about to write.
  const bool yields_soon = crowded || all > size;
  int room = room_for(size);
  RETURN_IF_FAILED(PMPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm));
  const Survey survey(yields_soon, static_cast<Room>(room));
  Segment segment;
  RETURN_IF_FAILED(map_segment(ranks, Node::bytes_per_rank(survey), segment));
  if (!segment.empty()) {
    node = std::make_unique<Node>(std::move(segment), rank, size, survey,
                                  std::make_unique<ProgressOfMessages>(comm));
  }
  return MPI_SUCCESS;
}

}  // namespace leadline::node
