// Whether what programs do with MPI works, one feature at a time: for a library under settings that
// other benchmarks have shown to be faster. Collectives, files, datatypes and windows of the other
// kinds are verified by the benchmarks that measure them (plans/conformance.toml).
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

constexpr int kTag = 7;

MPI_Comm everyone() { return benchmark_communicator(); }

struct Ranks {
  int rank = 0;
  int size = 0;
  explicit Ranks(MPI_Comm communicator) {
    MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
    MPI_REQUIRE(MPI_Comm_size(communicator, &size));
  }
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
};

std::uint64_t seed_of(std::uint64_t seed, int rank, int tag = 0) {
  return content_word(seed,
                      static_cast<std::uint64_t>(rank) * 64 + static_cast<std::uint64_t>(tag));
}

std::vector<std::byte> filled(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> data(bytes);
  fill_content(data.data(), bytes, seed);
  return data;
}

std::size_t wrong_unless(bool right) { return right ? 0 : 1; }

// Sends a message of so many bytes round the ring of a communicator, and returns what is wrong.
std::size_t pass_on(MPI_Comm communicator, std::size_t bytes, std::uint64_t seed, int tag) {
  const Ranks ranks(communicator);
  const auto out = filled(bytes, seed_of(seed, ranks.rank, tag));
  std::vector<std::byte> in(bytes);
  MPI_REQUIRE(MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, ranks.right(), tag,
                           in.data(), static_cast<int>(bytes), MPI_BYTE, ranks.left(), tag,
                           communicator, MPI_STATUS_IGNORE));
  return wrong_content(in.data(), bytes, seed_of(seed, ranks.left(), tag));
}

// Puts into memory that is attached to a window, and counts in it with an atomic operation.
std::size_t dynamic_window(std::uint64_t seed) {
  constexpr std::size_t kBytes = 4096;
  const Ranks ranks(everyone());
  struct Exposed {
    std::int64_t count = 0;
    std::array<std::byte, kBytes> data{};
  } mine;
  MPI_Win window = MPI_WIN_NULL;
  MPI_REQUIRE(MPI_Win_create_dynamic(MPI_INFO_NULL, everyone(), &window));
  MPI_REQUIRE(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
  MPI_REQUIRE(MPI_Win_attach(window, &mine, sizeof mine));
  std::array<MPI_Aint, 2> here{};
  MPI_REQUIRE(MPI_Get_address(&mine.count, &here[0]));
  MPI_REQUIRE(MPI_Get_address(mine.data.data(), &here[1]));
  std::vector<MPI_Aint> there(2 * static_cast<std::size_t>(ranks.size));
  MPI_REQUIRE(MPI_Allgather(here.data(), 2, MPI_AINT, there.data(), 2, MPI_AINT, everyone()));
  const auto out = filled(kBytes, seed_of(seed, ranks.rank));
  const std::int64_t one = 1;
  std::int64_t before = 0;
  MPI_REQUIRE(MPI_Win_lock_all(0, window));
  MPI_REQUIRE(MPI_Put(out.data(), kBytes, MPI_BYTE, ranks.right(),
                      there[2 * static_cast<std::size_t>(ranks.right()) + 1], kBytes, MPI_BYTE,
                      window));
  MPI_REQUIRE(MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, there[0], MPI_SUM, window));
  MPI_REQUIRE(MPI_Win_unlock_all(window));
  MPI_REQUIRE(MPI_Barrier(everyone()));
  MPI_REQUIRE(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, ranks.rank, 0, window));
  const bool counted = ranks.rank != 0 || mine.count == ranks.size;
  const std::size_t wrong = wrong_content(mine.data.data(), kBytes, seed_of(seed, ranks.left())) +
                            wrong_unless(counted && before >= 0 && before < ranks.size);
  MPI_REQUIRE(MPI_Win_unlock(ranks.rank, window));
  MPI_REQUIRE(MPI_Win_detach(window, &mine));
  MPI_REQUIRE(MPI_Win_free(&window));
  return wrong;
}

// Learns sender, tag and size of messages from MPI_Mprobe and MPI_Iprobe.
std::size_t probe(std::uint64_t seed) {
  constexpr std::array<int, 4> kSizes{0, 100, 20000, 2 << 20};
  const Ranks ranks(everyone());
  std::array<std::vector<std::byte>, kSizes.size()> out;
  std::array<MPI_Request, kSizes.size()> requests{};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const int tag = static_cast<int>(i);
    out[i] = filled(static_cast<std::size_t>(kSizes[i]), seed_of(seed, ranks.rank, tag));
    MPI_REQUIRE(MPI_Isend(out[i].data(), kSizes[i], MPI_BYTE, ranks.right(), tag, everyone(),
                          &requests[i]));
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    int bytes = 0;
    std::vector<std::byte> in;
    if (i % 2 == 0) {
      MPI_REQUIRE(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, everyone(), &message, &status));
    } else {
      for (int there = 0; there == 0;) {
        MPI_REQUIRE(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, everyone(), &there, &status));
      }
    }
    MPI_REQUIRE(MPI_Get_count(&status, MPI_BYTE, &bytes));
    const int from = status.MPI_SOURCE;
    const int tag = status.MPI_TAG;
    in.resize(static_cast<std::size_t>(bytes));
    if (i % 2 == 0) {
      MPI_REQUIRE(MPI_Mrecv(in.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    } else {
      MPI_REQUIRE(MPI_Recv(in.data(), bytes, MPI_BYTE, from, tag, everyone(), MPI_STATUS_IGNORE));
    }
    wrong += wrong_unless(from == ranks.left() && tag == static_cast<int>(i) && bytes == kSizes[i]);
    wrong += wrong_content(in.data(), in.size(), seed_of(seed, ranks.left(), tag));
  }
  MPI_REQUIRE(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  return wrong;
}

// Takes a receive back, and then uses its tag.
std::size_t cancel(std::uint64_t seed) {
  constexpr std::size_t kBytes = 1000;
  const Ranks ranks(everyone());
  std::array<std::byte, kBytes> never{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int cancelled = 0;
  MPI_REQUIRE(MPI_Irecv(never.data(), kBytes, MPI_BYTE, ranks.left(), kTag, everyone(), &request));
  MPI_REQUIRE(MPI_Cancel(&request));
  MPI_REQUIRE(MPI_Wait(&request, &status));
  MPI_REQUIRE(MPI_Test_cancelled(&status, &cancelled));
  // A message of the next step must not meet a receive that is still being cancelled.
  MPI_REQUIRE(MPI_Barrier(everyone()));
  return wrong_unless(cancelled != 0) + pass_on(everyone(), kBytes, seed, kTag);
}

using LargeSend = int(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
using LargeReceive = int(void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);

// Sends more than 2 GiB in one message from rank 0 to rank 1: as a large count where the library
// has such functions, else as blocks. Most of the sender's pages are never written.
std::size_t large(std::uint64_t seed) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  constexpr std::size_t kBlocks = 2049;
  constexpr std::size_t kMarked = 4096;
  const Ranks ranks(everyone());
  if (ranks.rank > 1) return 0;
  const std::unique_ptr<std::byte, void (*)(void*)> memory(
      static_cast<std::byte*>(mmap(nullptr, kBlocks * kBlock, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      [](void* address) { munmap(address, kBlocks * kBlock); });
  if (memory.get() == MAP_FAILED) throw std::runtime_error("no room for a message of 2 GiB");
  madvise(memory.get(), kBlocks * kBlock, MADV_HUGEPAGE);
  const std::array<std::byte*, 3> marks{memory.get(), memory.get() + kBlocks / 2 * kBlock + 1,
                                        memory.get() + kBlocks * kBlock - kMarked};
  auto* const send = newer_function<LargeSend>("MPI_Send_c");
  auto* const receive = newer_function<LargeReceive>("MPI_Recv_c");
  const bool counts = send != nullptr && receive != nullptr;
  MPI_Datatype block = MPI_BYTE;
  if (!counts) {
    MPI_REQUIRE(MPI_Type_contiguous(kBlock, MPI_BYTE, &block));
    MPI_REQUIRE(MPI_Type_commit(&block));
  }
  std::size_t wrong = 0;
  if (ranks.rank == 0) {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      fill_content(marks[i], kMarked, seed_of(seed, static_cast<int>(i)));
    }
    MPI_REQUIRE(counts ? send(memory.get(), kBlocks * kBlock, block, 1, kTag, everyone())
                       : MPI_Send(memory.get(), kBlocks, block, 1, kTag, everyone()));
  } else {
    MPI_REQUIRE(
        counts
            ? receive(memory.get(), kBlocks * kBlock, block, 0, kTag, everyone(), MPI_STATUS_IGNORE)
            : MPI_Recv(memory.get(), kBlocks, block, 0, kTag, everyone(), MPI_STATUS_IGNORE));
    for (std::size_t i = 0; i < marks.size(); ++i) {
      wrong += wrong_content(marks[i], kMarked, seed_of(seed, static_cast<int>(i)));
    }
  }
  if (!counts) MPI_REQUIRE(MPI_Type_free(&block));
  return wrong;
}

class Halves {
 public:
  Halves() : all_(everyone()), lower_(all_.rank < all_.size / 2) {
    MPI_REQUIRE(MPI_Comm_split(everyone(), lower_ ? 0 : 1, all_.rank, &mine_));
    MPI_REQUIRE(MPI_Comm_set_errhandler(mine_, MPI_ERRORS_RETURN));
  }
  ~Halves() { MPI_Comm_free(&mine_); }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;

  MPI_Comm mine() const { return mine_; }
  bool lower() const { return lower_; }
  int leader_of_the_others() const { return lower_ ? all_.size / 2 : 0; }
  // The sum of the others' ranks plus a seed each.
  std::int64_t sum_of_the_others(std::int64_t seed) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < all_.size; ++rank) {
      if ((rank < all_.size / 2) != lower_) sum += rank + seed;
    }
    return sum;
  }
  int rank() const { return all_.rank; }

 private:
  Ranks all_;
  bool lower_;
  MPI_Comm mine_ = MPI_COMM_NULL;
};

// Adds up over an intercommunicator between two halves of the ranks: each has the others' sum.
std::size_t wrong_sum_of(MPI_Comm between, const Halves& halves, std::uint64_t seed) {
  MPI_REQUIRE(MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN));
  const auto some = static_cast<std::int64_t>(seed % 1000);
  const std::int64_t mine = halves.rank() + some;
  std::int64_t sum = 0;
  MPI_REQUIRE(MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, between));
  return sum == halves.sum_of_the_others(some) ? 0 : sizeof sum;
}

std::size_t intercommunicator(std::uint64_t seed) {
  const Halves halves;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_REQUIRE(MPI_Intercomm_create(halves.mine(), 0, everyone(), halves.leader_of_the_others(),
                                   kTag, &between));
  std::size_t wrong = wrong_sum_of(between, halves, seed);
  MPI_REQUIRE(MPI_Intercomm_merge(between, halves.lower() ? 0 : 1, &merged));
  wrong += pass_on(merged, 1000, seed, kTag);
  MPI_REQUIRE(MPI_Comm_free(&merged));
  MPI_REQUIRE(MPI_Comm_free(&between));
  return wrong;
}

// The library's words for an error; empty for none.
std::string words_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text.data(), &length);
  std::string line(text.data());
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// Why rank 0 can open no port; empty where it can.
std::string why_no_port() {
  if (Ranks(everyone()).rank != 0) return {};
  std::array<char, MPI_MAX_PORT_NAME> port{};
  const int code = MPI_Open_port(MPI_INFO_NULL, port.data());
  if (code == MPI_SUCCESS) MPI_REQUIRE(MPI_Close_port(port.data()));
  return words_of(code);
}

// One half opens a port, to which the other connects.
std::size_t connect(std::uint64_t seed) {
  const Halves halves;
  std::array<char, MPI_MAX_PORT_NAME> port{};
  MPI_Comm between = MPI_COMM_NULL;
  if (halves.rank() == 0) MPI_REQUIRE(MPI_Open_port(MPI_INFO_NULL, port.data()));
  MPI_REQUIRE(MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, everyone()));
  MPI_REQUIRE(halves.lower()
                  ? MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, halves.mine(), &between)
                  : MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, halves.mine(), &between));
  const std::size_t wrong = wrong_sum_of(between, halves, seed);
  MPI_REQUIRE(MPI_Comm_disconnect(&between));
  if (halves.rank() == 0) MPI_REQUIRE(MPI_Close_port(port.data()));
  return wrong;
}

#if MPI_VERSION >= 4
// Makes a communicator of all processes of the job without MPI_COMM_WORLD. The library's functions
// are looked up: a probe may run with a library that is older than its header.
struct Sessions {
  decltype(&MPI_Session_init) init = newer_function<decltype(MPI_Session_init)>("MPI_Session_init");
  decltype(&MPI_Session_finalize) finalize =
      newer_function<decltype(MPI_Session_finalize)>("MPI_Session_finalize");
  decltype(&MPI_Group_from_session_pset) group =
      newer_function<decltype(MPI_Group_from_session_pset)>("MPI_Group_from_session_pset");
  decltype(&MPI_Comm_create_from_group) communicator =
      newer_function<decltype(MPI_Comm_create_from_group)>("MPI_Comm_create_from_group");
  bool there() const { return init && finalize && group && communicator; }
};

bool has_sessions() { return Sessions().there(); }

std::size_t sessions(std::uint64_t seed) {
  const Sessions call;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_REQUIRE(call.init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  MPI_REQUIRE(call.group(session, "mpi://WORLD", &group));
  MPI_REQUIRE(call.communicator(group, "leadline.conformance", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                &communicator));
  const std::size_t wrong = pass_on(communicator, 1000, seed, kTag);
  MPI_REQUIRE(MPI_Comm_free(&communicator));
  MPI_REQUIRE(MPI_Group_free(&group));
  MPI_REQUIRE(call.finalize(&session));
  return wrong;
}
#else
bool has_sessions() { return false; }

std::size_t sessions(std::uint64_t) { return 0; }
#endif

// Two threads of each rank send at the same time, each in a communicator of its own.
std::size_t threads(std::uint64_t seed) {
  constexpr std::size_t kThreads = 2;
  std::array<MPI_Comm, kThreads> communicators{};
  std::array<std::size_t, kThreads> wrong{};
  for (MPI_Comm& each : communicators) {
    MPI_REQUIRE(MPI_Comm_dup(everyone(), &each));
    MPI_REQUIRE(MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN));
  }
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < kThreads; ++i) {
    running.emplace_back([&, i] {
      for (int message = 0; message < 20; ++message) {
        const std::size_t bytes = std::size_t{1} << message;
        wrong[i] += pass_on(communicators[i], bytes, seed + i, message);
      }
    });
  }
  for (std::thread& each : running) each.join();
  for (MPI_Comm& each : communicators) MPI_REQUIRE(MPI_Comm_free(&each));
  return wrong[0] + wrong[1];
}

struct Feature {
  std::string name;
  std::string what;
  std::size_t (*try_it)(std::uint64_t seed);
};

const std::vector<Feature>& features() {
  static const std::vector<Feature> all{
      {"dynamic_window", "memory attached to a window, a put and an atomic sum", dynamic_window},
      {"probe", "MPI_Mprobe and MPI_Iprobe of any source and tag", probe},
      {"cancel", "a receive that is taken back", cancel},
      {"large", "a message of more than 2 GiB", large},
      {"intercommunicator", "a collective between two halves, which are merged", intercommunicator},
      {"connect", "a port, MPI_Comm_accept and MPI_Comm_connect", connect},
      {"sessions", "a communicator from a session (MPI 4)", sessions},
      {"threads", "two threads of each rank send at once (MPI_THREAD_MULTIPLE)", threads},
  };
  return all;
}

// Why the feature cannot be tried by this rank; empty where it can.
std::string hindrance(const std::string& feature) {
  if (feature == "sessions" && !has_sessions()) return "the library has no sessions";
  if (feature == "large") {
    constexpr double kNeeded = 8e9;
    const double free =
        static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (free < kNeeded) return "it needs 8 GB of free memory";
  }
  if (feature == "threads") {
    int level = MPI_THREAD_SINGLE;
    MPI_REQUIRE(MPI_Query_thread(&level));
    if (level < MPI_THREAD_MULTIPLE) return "the library gives the probe no MPI_THREAD_MULTIPLE";
  }
  if (feature == "connect") return why_no_port();
  return {};
}

class Trying {
 public:
  explicit Trying(const Feature& feature) : feature_(feature) {}
  void call() { wrong_ = feature_.try_it(seed_); }
  void fill(std::uint64_t seed) { seed_ = seed; }
  std::size_t wrong_bytes() const { return wrong_; }

 private:
  const Feature& feature_;
  std::uint64_t seed_ = 0;
  std::size_t wrong_ = 0;
};

Operation prepare(const Point& point) {
  const std::string& name = point.choice("feature");
  const auto feature = std::ranges::find(features(), name, &Feature::name);
  const std::string mine = hindrance(name);
  const int hindered = agree<int>(point.world(), mine.empty() ? 0 : 1, take_maximum<int>);
  if (hindered) throw Unavailable(mine.empty() ? "another rank cannot try it" : mine);
  Operation operation = operation_of(std::make_shared<Trying>(*feature));
  operation.every_call = true;
  operation.repetitions = 1;
  return operation;
}

Benchmark declare() {
  std::vector<std::string> names;
  std::string summary;
  for (const Feature& each : features()) {
    names.push_back(each.name);
    summary += (summary.empty() ? "" : "; ") + each.name + ": " + each.what;
  }
  Axis feature = task_axis("feature", summary, names);
  for (const std::string& each : names) {
    feature.default_values += (feature.default_values.empty() ? "" : ",") + each;
  }
  return {
      .name = "mpi/conformance",
      .title = "Conformance",
      .summary =
          "whether features of MPI that no other benchmark uses work, and how long each "
          "takes; measured where it is named",
      .axes = {feature},
      .processes = {.minimum = 2, .multiple_of = 2},
      .series = {{"completion",
                  "from the first call of the feature to its last, on each rank; the "
                  "slowest rank counts"}},
      .prepare = prepare,
      .messages = false,
  };
}

const Registration conformance{declare};

}  // namespace
}  // namespace leadline::probe
