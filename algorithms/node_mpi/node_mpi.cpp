#include "algorithms/node_mpi/node_mpi.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/open_mpi.hpp"
#include "algorithms/node/settings.hpp"
#include "algorithms/node/survey.hpp"
#include "algorithms/node_mpi/host.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"

namespace leadline::node {
namespace {

// The rank that is waited for may itself wait for a message of this rank, sent before and not yet
// delivered: MPI promises that it arrives, so a waiting rank must let the library work.
class ProgressOfMessages final : public Progress {
 public:
  explicit ProgressOfMessages(MPI_Comm comm) : comm_(comm) {}
  int make() override {
    if (!is_open_mpi()) return probe();
    progress_by_open_mpi();  // a fifth of what a probe costs
    return MPI_SUCCESS;
  }
  int make_at_once() override {
    if (!is_open_mpi()) return probe();
    progress_by_open_mpi_at_once();
    return MPI_SUCCESS;
  }

 private:
  int probe() const {
    int found = 0;
    return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
  }

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

constexpr std::uint64_t kMoreThanLittle = 1;
constexpr std::uint64_t kMoreThanUsual = 2;
constexpr std::uint64_t kKnowNodes = 4;

Extent extent_of(const Survey& survey) {
  return {.bytes = Node::bytes_per_rank(survey), .least = Node::least_bytes_per_rank(survey)};
}

}  // namespace

Terms own_terms(int rank, int size, bool knows_nodes, bool offers) {
  const Room room = room_for(size);
  // Where nodes are pretended, hosts say nothing.
  const std::uint64_t host = settings().ranks_per_node == 0 ? host_of_this_process() : 0;
  Terms terms{};
  std::uint64_t* word = terms.words.data();
  *word++ = (room > kLittle ? kMoreThanLittle : 0) | (room > kUsual ? kMoreThanUsual : 0) |
            (knows_nodes ? kKnowNodes : 0);
  // Of ranks on one host, what is left of the two are opposites.
  *word++ = host;
  *word++ = host != 0 ? ~host : 0;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  std::memcpy(word, &cores, sizeof cores);
  for (std::size_t i = 0; i < Terms::kWordsOfCores; ++i, ++word) *word = ~*word;
  if (offers && rank == 0 && host != 0) {
    terms.offer = Offer::make(file_bytes(extent_of(Survey(false, room)), size));
  }
  std::copy(terms.offer.words().begin(), terms.offer.words().end(), word);
  return terms;
}

Common::Common(Terms own, const Terms::Words& all, int rank, int size) {
  const std::uint64_t* word = all.data();
  room = (*word & kMoreThanUsual) != 0 ? kLarge : (*word & kMoreThanLittle) != 0 ? kUsual : kLittle;
  know_nodes = (*word++ & kKnowNodes) != 0;
  on_one_host = word[0] == ~word[1];
  word += 2;
  int cores = 0;
  for (std::size_t i = 0; i < Terms::kWordsOfCores; ++i) cores += std::popcount(~*word++);
  crowded = cores < size;
  if (!on_one_host) return;
  Offer::Words offered{};
  std::copy(word, word + Offer::kWords, offered.begin());
  offer = rank == 0 ? std::move(own.offer) : Offer(offered);
}

int create_node(MPI_Comm ranks, MPI_Comm comm, Common& common, std::unique_ptr<Node>& made) {
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
  RETURN_IF_FAILED(map_segment(ranks, extent_of(survey), std::exchange(common.offer, {}), segment));
  if (!segment.empty()) {
    made = std::make_unique<Node>(std::move(segment), rank, size, survey,
                                  std::make_unique<ProgressOfMessages>(comm));
  }
  return MPI_SUCCESS;
}

}  // namespace leadline::node
