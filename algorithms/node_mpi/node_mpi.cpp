#include "algorithms/node_mpi/node_mpi.hpp"

#include <sched.h>

#include <cstring>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/survey.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"

// Open MPI's, where that is the library: a fifth of what a probe costs.
extern "C" __attribute__((weak)) void opal_progress();

namespace leadline::node {
namespace {

// The rank that is waited for may itself wait for a message of this rank, sent before and not yet
// delivered: MPI promises that it arrives, so a waiting rank must let the library work.
class ProgressOfMessages final : public Progress {
 public:
  ProgressOfMessages(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}
  int make() override {
    if (opal_progress != nullptr) {
      opal_progress();
      return MPI_SUCCESS;
    }
    int found = 0;
    return PMPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &found, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_;
  int tag_;
};

// The largest there is, which programs hardly send: a library that finds a message does no more.
int tag_of_none() {
  void* most = nullptr;
  int there = 0;
  const int code =
      PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &there);
  return code == MPI_SUCCESS && there != 0 ? *static_cast<int*>(most) : MPI_ANY_TAG;
}

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

std::unique_ptr<Progress> progress_for_good() {
  return std::make_unique<ProgressOfMessages>(MPI_COMM_WORLD, tag_of_none());
}

int find_common(MPI_Comm comm, bool knows_nodes, Common& common) {
  struct Said {
    unsigned char more_than_little;
    unsigned char more_than_usual;
    unsigned char know_nodes;
    cpu_set_t cores_of_none;
  };
  const auto all_bits = [](bool set) { return static_cast<unsigned char>(set ? 0xFF : 0); };
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  const Room room = room_for(size);
  cpu_set_t every;
  std::memset(&every, 0xFF, sizeof every);
  Said mine{all_bits(room > kLittle), all_bits(room > kUsual), all_bits(knows_nodes), {}};
  Said all{};
  CPU_ZERO(&mine.cores_of_none);
  sched_getaffinity(0, sizeof mine.cores_of_none, &mine.cores_of_none);
  CPU_XOR(&mine.cores_of_none, &mine.cores_of_none, &every);
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BAND, comm));
  common.room = all.more_than_usual != 0 ? kLarge : all.more_than_little != 0 ? kUsual : kLittle;
  common.know_nodes = all.know_nodes != 0;
  common.crowded = CPU_SETSIZE - CPU_COUNT(&all.cores_of_none) < size;
  return MPI_SUCCESS;
}

int create_node(MPI_Comm ranks, MPI_Comm comm, const Common& common, std::unique_ptr<Node>& node) {
  int rank = 0;
  int size = 0;
  bool crowded = common.crowded;
  RETURN_IF_FAILED(PMPI_Comm_rank(ranks, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(ranks, &size));
  int all = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &all));
  if (all > size) RETURN_IF_FAILED(find_crowded(ranks, size, crowded));
  // Who waits for other nodes waits long, and not for a rank that is about to write.
  const bool yields_soon = crowded || all > size;
  const Survey survey(yields_soon, common.room);
  Segment segment;
  RETURN_IF_FAILED(map_segment(ranks, Node::bytes_per_rank(survey), segment));
  if (!segment.empty()) {
    node = std::make_unique<Node>(std::move(segment), rank, size, survey,
                                  std::make_unique<ProgressOfMessages>(comm, MPI_ANY_TAG));
  }
  return MPI_SUCCESS;
}

}  // namespace leadline::node
