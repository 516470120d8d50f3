#include "comm/mpi_world.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "comm/host.hpp"
#include "comm/mpi_controls.hpp"
#include "harness/coordinate.hpp"
#include "harness/probe.hpp"

namespace leadline::probe {
namespace {

constexpr int kTag = 0;
constexpr char kOneClock[] = "simulated nodes have one clock, and nobody to synchronise it with";

int checked_count(std::size_t bytes) {
  if (bytes > INT_MAX) throw std::length_error("a harness message is limited to 2 GiB");
  return static_cast<int>(bytes);
}

int translate(MPI_Group from, int rank, MPI_Group to) {
  int translated = MPI_UNDEFINED;
  MPI_REQUIRE(MPI_Group_translate_ranks(from, 1, &rank, to, &translated));
  return translated;
}

// Which of the nodes that they name each rank is on, and where among its ranks. Nodes are numbered
// in the order of their least ranks.
struct NodePlace {
  int node = 0;
  int nodes = 0;
  int node_rank = 0;
  int node_size = 0;
};

NodePlace place_among(const std::vector<int>& node_names, int rank) {
  NodePlace place;
  std::unordered_map<int, int> numbers;
  const int own = node_names[static_cast<std::size_t>(rank)];
  for (std::size_t each = 0; each < node_names.size(); ++each) {
    numbers.emplace(node_names[each], static_cast<int>(numbers.size()));
    if (node_names[each] != own) continue;
    ++place.node_size;
    if (each < static_cast<std::size_t>(rank)) ++place.node_rank;
  }
  place.node = numbers.at(own);
  place.nodes = static_cast<int>(numbers.size());
  return place;
}

struct OfBenchmarks {
  MPI_Comm communicator = MPI_COMM_NULL;
};

MPI_Comm& of_benchmarks() { return of_rank<OfBenchmarks>().communicator; }

std::string library_words() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_REQUIRE(MPI_Get_library_version(text, &length));
  std::string line(text, static_cast<std::size_t>(length));
  for (char& character : line) {
    if (character == '\n' || character == '\t') character = ' ';
  }
  return line;
}

MPI_Comm duplicate(MPI_Comm ranks) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_REQUIRE(MPI_Comm_dup(ranks, &copy));
  MPI_REQUIRE(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  return copy;
}

}  // namespace

void require_success(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  const std::string name(call, std::string_view(call).find('('));
  int error_class = MPI_ERR_OTHER;
  char class_text[MPI_MAX_ERROR_STRING] = {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_class(code, &error_class);
  MPI_Error_string(error_class, class_text, &length);
  MPI_Error_string(code, text, &length);
  for (char* each : {class_text, text}) {
    for (; *each; ++each) {
      if (*each == '\n') *each = ' ';
    }
  }
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  report_failure(name + " failed with error class " + std::to_string(error_class) + ", " +
                     class_text + ": " + text,
                 rank);
  MPI_Abort(MPI_COMM_WORLD, kFailed);
  std::abort();
}

std::optional<std::pair<int, int>> library_release(const std::string& words) {
  const std::string line = library_words();
  const auto found = line.find(words);
  if (found == std::string::npos) return std::nullopt;
  const char* const end = line.c_str() + line.size();
  const auto after = line.find_first_not_of(" \t", found + words.size());
  if (after == std::string::npos) return std::nullopt;
  int major = 0;
  int minor = 0;
  const auto read = std::from_chars(line.c_str() + after, end, major);
  if (read.ec != std::errc()) return std::nullopt;
  if (read.ptr != end && *read.ptr == '.') std::from_chars(read.ptr + 1, end, minor);
  return std::pair(major, minor);
}

MPI_Comm benchmark_communicator() { return of_benchmarks(); }

BenchmarkRanks::BenchmarkRanks(MPI_Comm ranks) { of_benchmarks() = duplicate(ranks); }

BenchmarkRanks::~BenchmarkRanks() { MPI_Comm_free(&of_benchmarks()); }

MpiWorld::MpiWorld(MPI_Comm ranks) : harness_(duplicate(ranks)) {
  MPI_REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MPI_REQUIRE(MPI_Comm_rank(harness_, &rank_));
  MPI_REQUIRE(MPI_Comm_size(harness_, &size_));
  if (kSimulated) {
    // To split a communicator takes SMPI time and memory by the square of the ranks.
    node_comm_ = MPI_COMM_NULL;
    const auto lists = gather_lists(*this, {host_number()});
    std::vector<int> hosts(static_cast<std::size_t>(size_));
    std::ranges::transform(lists, hosts.begin(), [](const auto& list) { return list.front(); });
    broadcast(*this, hosts.data(), hosts.size() * sizeof(int));
    const NodePlace own = place_among(hosts, rank_);
    node_ = own.node;
    nodes_ = own.nodes;
    node_rank_ = own.node_rank;
    node_size_ = own.node_size;
    return;
  }
  MPI_REQUIRE(
      MPI_Comm_split_type(harness_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_comm_));
  MPI_REQUIRE(MPI_Comm_rank(node_comm_, &node_rank_));
  MPI_REQUIRE(MPI_Comm_size(node_comm_, &node_size_));
  MPI_REQUIRE(MPI_Comm_split(harness_, node_rank_ == 0 ? 0 : MPI_UNDEFINED, rank_, &leaders_comm_));
  int node_and_count[2] = {0, 1};
  if (leaders_comm_ != MPI_COMM_NULL) {
    MPI_REQUIRE(MPI_Comm_rank(leaders_comm_, &node_and_count[0]));
    MPI_REQUIRE(MPI_Comm_size(leaders_comm_, &node_and_count[1]));
    MPI_REQUIRE(MPI_Comm_group(leaders_comm_, &leaders_group_));
  }
  MPI_REQUIRE(MPI_Bcast(node_and_count, 2, MPI_INT, 0, node_comm_));
  node_ = node_and_count[0];
  nodes_ = node_and_count[1];
  MPI_REQUIRE(MPI_Comm_group(harness_, &all_group_));
  MPI_REQUIRE(MPI_Comm_group(node_comm_, &node_group_));
}

MpiWorld::~MpiWorld() {
  if (leaders_comm_ != MPI_COMM_NULL) {
    MPI_Group_free(&leaders_group_);
    MPI_Comm_free(&leaders_comm_);
  }
  if (node_comm_ != MPI_COMM_NULL) {
    MPI_Group_free(&node_group_);
    MPI_Group_free(&all_group_);
    MPI_Comm_free(&node_comm_);
  }
  MPI_Comm_free(&harness_);
}

void MpiWorld::send(const void* data, std::size_t bytes, int to) {
  MPI_REQUIRE(MPI_Send(data, checked_count(bytes), MPI_BYTE, to, kTag, harness_));
}

void MpiWorld::receive(void* data, std::size_t bytes, int from) {
  MPI_REQUIRE(
      MPI_Recv(data, checked_count(bytes), MPI_BYTE, from, kTag, harness_, MPI_STATUS_IGNORE));
}

void MpiWorld::exchange(const void* out, std::size_t out_bytes, int to, void* in,
                        std::size_t in_bytes, int from) {
  MPI_REQUIRE(MPI_Sendrecv(out, checked_count(out_bytes), MPI_BYTE, to, kTag, in,
                           checked_count(in_bytes), MPI_BYTE, from, kTag, harness_,
                           MPI_STATUS_IGNORE));
}

int MpiWorld::leader(int node) const {
  if (kSimulated) throw std::logic_error(kOneClock);
  return translate(leaders_group_, node, all_group_);
}

int MpiWorld::member(int index) const {
  if (kSimulated) throw std::logic_error(kOneClock);
  return translate(node_group_, index, all_group_);
}

double MpiWorld::now() const { return monotonic_seconds(); }

double MpiWorld::wait_until(double time) const { return spin_until(time); }

const char* MpiWorld::clock_source() const { return monotonic_source(); }

KernelClock MpiWorld::kernel_clock() const { return host_clock(); }

Counters MpiWorld::counters() const { return thread_counters(); }

double MpiWorld::waited() const { return thread_waited(); }

double MpiWorld::stolen() const { return core_stolen(); }

RankPlace MpiWorld::place() const { return host_place(rank_, node_); }

std::string MpiWorld::library() const { return library_words(); }

std::string MpiWorld::standard() const {
  int version = 0;
  int subversion = 0;
  MPI_REQUIRE(MPI_Get_version(&version, &subversion));
  return std::to_string(version) + "." + std::to_string(subversion);
}

std::optional<std::string> MpiWorld::control(const std::string& name) const {
  return control_value(name);
}

void MpiWorld::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

}  // namespace leadline::probe
