#include "runtime/report/gather.hpp"

#include <new>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::runtime {
namespace {

constexpr int kTag = 0;

template <typename Row>
int send(const std::vector<Row>& rows, int to, MPI_Comm comm) {
  return PMPI_Send(rows.data(), static_cast<int>(rows.size() * sizeof(Row)), MPI_BYTE, to, kTag,
                   comm);
}

template <typename Row>
int receive(std::vector<Row>& rows, int from, MPI_Comm comm) {
  MPI_Status status;
  int bytes = 0;
  RETURN_IF_FAILED(PMPI_Probe(from, kTag, comm, &status));
  RETURN_IF_FAILED(PMPI_Get_count(&status, MPI_BYTE, &bytes));
  rows.resize(static_cast<std::size_t>(bytes) / sizeof(Row));
  return PMPI_Recv(rows.data(), bytes, MPI_BYTE, from, kTag, comm, MPI_STATUS_IGNORE);
}

// What is no row, as it travels.
struct Summary {
  int ranks;
  double seconds;
  int learns;
  double lost_s;
  double gained_s;
  std::uint64_t uncounted;
};

int send(const Report& report, int to, MPI_Comm comm) {
  RETURN_IF_FAILED(send(std::vector<Summary>{{report.ranks, report.seconds, report.learns ? 1 : 0,
                                              report.lost_s, report.gained_s, report.uncounted}},
                        to, comm));
  RETURN_IF_FAILED(send(report.rows, to, comm));
  return send(report.files, to, comm);
}

int receive(Report& report, int from, MPI_Comm comm) {
  std::vector<Summary> summary;
  RETURN_IF_FAILED(receive(summary, from, comm));
  report.ranks = summary[0].ranks;
  report.seconds = summary[0].seconds;
  report.learns = summary[0].learns != 0;
  report.lost_s = summary[0].lost_s;
  report.gained_s = summary[0].gained_s;
  report.uncounted = summary[0].uncounted;
  RETURN_IF_FAILED(receive(report.rows, from, comm));
  return receive(report.files, from, comm);
}

int add_from(int rank, Report& report, MPI_Comm comm) {
  try {
    Report other;
    RETURN_IF_FAILED(receive(other, rank, comm));
    merge(other, report);
    return MPI_SUCCESS;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace

int gather(Report& report, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  // Along the binomial tree, whose largest subtrees need the longest. Who lacks another's report
  // hands on what it has, for which somebody waits.
  int code = MPI_SUCCESS;
  for (int step = 1; step < size; step *= 2) {
    if ((rank & step) != 0) return send(report, rank - step, comm);
    if (rank + step >= size) continue;
    const int failed = add_from(rank + step, report, comm);
    if (code == MPI_SUCCESS) code = failed;
  }
  return report.ranks == size || code != MPI_SUCCESS ? code : MPI_ERR_OTHER;
}

}  // namespace leadline::runtime
