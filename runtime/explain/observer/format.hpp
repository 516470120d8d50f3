// The file of a node: what its ranks have done so far, which other processes may read at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace leadline::explain {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kRows = 1024;
constexpr u32 kSites = 512;
constexpr u32 kAwaiting = 32;
constexpr u32 kVisits = 4096;
constexpr u32 kMarks = 64;
constexpr u32 kRegions = 32;
constexpr u32 kMostPeers = 4096;
constexpr u32 kNoRank = 0xFFFFFFFF;
constexpr u32 kNoRow = 0xFFFFFFFF;
constexpr u64 kUnknownComm = ~u64{0};
constexpr u64 kMeetings = ~u64{1};  // in the place of a group: barriers of leadline's own
constexpr std::int32_t kAnyPeer = -1;
constexpr std::int32_t kNoPeer = -2;
constexpr u64 kPage = 4096;

struct Header {
  char magic[8];
  u32 header_bytes, functions, ranks_here, ranks_total;
  u64 block_bytes;
  u64 functions_offset;
  u64 blocks_offset;
  u32 rows, sites, peers;
  u32 node;
  char library[128];
  char host[64];
  char also[32];  // another API that the program calls, of which nothing is here
  u32 visits;     // of each rank; 0: all are on one node
  u32 marks;
  u64 marks_offset;  // in a block
  u32 regions;       // behind the marks, and before what is of other threads
  u32 costs;         // 1: behind that it says what observing has cost
  u32 mark_bytes;    // 0: 40
};

struct FunctionName {
  char name[40];
  std::uint8_t kind;
  std::uint8_t reserved[7];
};
static_assert(sizeof(FunctionName) == 48);

// Of one that is gone without a word its node's watcher says so.
enum class State : u32 { kBefore, kRunning, kFinalized, kExited, kAborted, kGone };

struct alignas(64) Current {
  u32 function;
  u32 site;
  u64 since_ticks;
  u64 comm;
  u64 comm_call;
  std::int32_t peer, tag, root;
  u32 awaited;  // requests, of which the block's last part says more
  u64 bytes;
};
static_assert(sizeof(Current) == 64);

// What a request is about that the current call waits for.
constexpr u32 kAwaitsSend = 1, kAwaitsReceive = 2, kAwaitsCollective = 4;
constexpr u32 kOtherHasBegun = 8, kIsCounted = 16;
struct Awaiting {
  std::int32_t peer, tag;
  u32 what, pad;
  u64 comm;
  u64 number;  // of a collective; if counted, of the messages that the sender had sent here by then
};
static_assert(sizeof(Awaiting) == 32);

struct Block {
  u32 rank, pid;
  u64 start_ticks, end_ticks;
  u64 start_ns, end_ns;
  double seconds_per_tick;
  u64 mpi_ticks, waiting_ticks;
  u64 io_ticks;
  u64 other_threads_ticks;
  u64 calls;
  u64 lost_rows, lost_sites, lost_requests, lost_stamps;
  u32 rows_used, sites_used;
  std::int32_t core;
  u32 state;
  u32 visits_used;
  u32 visits_halved;            // so many times: one call in 2^n is kept
  u64 first_ticks, last_ticks;  // when the API had begun, and when its end was called; 0: never
  u64 queued_ns;                // so long its thread was ready to run and had no processor
  u32 queued_known;             // 1: the kernel says so
  u32 regions_used;
  u64 marks_used;
  u64 slice_ticks;  // from the start to the first mark, and from each to the next
  Current current;
};
static_assert(offsetof(Block, state) == 132 && offsetof(Block, current) == 192);
static_assert(offsetof(Block, first_ticks) == 144 && offsetof(Block, slice_ticks) == 184);

constexpr u32 kPartial = 1;    // flag: waiting is a lower bound
constexpr u32 kEstimated = 2;  // flag: of some of the calls it is an estimate

struct Row {
  u32 function, site, size_class, comm_ranks;
  u32 nodes, flags;
  u64 calls, bytes, ticks, waiting_ticks, slowest_ticks;
  u64 late_sender_ticks, late_receiver_ticks;
};
static_assert(sizeof(Row) == 80);

struct Site {
  char text[160];
  char object[216];
  u64 address;
};
static_assert(sizeof(Site) == 384);

struct Peer {
  u64 messages, bytes, waited_ticks, waited_calls;
};
static_assert(sizeof(Peer) == 32);

// When this rank came to a call of a group with members on other nodes, and left it.
struct Visit {
  u64 group;
  u64 call;  // the number of the group's
  u64 begun_ticks, ended_ticks;
  u64 waited_ticks;  // for members on this node
  u32 row;
  std::int32_t rank;  // in the group
  std::int32_t root;  // in the job
  u32 shape;          // whom it makes wait for whom
};
static_assert(sizeof(Visit) == 56);

// What a rank had done until the end of a slice of its time, of the thread that began MPI.
struct Mark {
  u64 mpi_ticks, waiting_ticks;
  // As they were when this was noted, a call's end later.
  u64 queued_ns;     // as the block has it
  u64 throttled_us;  // a quota kept its control group from running, with all of its processes
  u64 probe_ticks;   // of arithmetic that takes as many cycles each time
  u64 stolen_us;     // a hypervisor withheld its core, between marks that found it on the same one
};
static_assert(sizeof(Mark) == 48);

// What the program has marked, from one place: MPI_Pcontrol(level).
struct Region {
  u32 site;
  std::int32_t level;
  u64 times, ticks, mpi_ticks, waiting_ticks, io_ticks, calls;
};
static_assert(sizeof(Region) == 56);

// The threads of the process beside the one that began MPI, at its end: those that have computed
// for a part of the time, the processors that these and it may use, and how long they wanted one.
struct Threads {
  u32 workers, cores;
  u64 wanted_ns;
};
static_assert(sizeof(Threads) == 16);

// The observer's own part of the main thread's time; of short calls one in up to so many told how
// long they waited. Behind it is the variance of each row's waiting, in ticks squared.
struct Cost {
  u64 own_ticks;
  u32 one_in, pad;
};
static_assert(sizeof(Cost) == 16);

constexpr u64 whole_pages(u64 bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Where the parts of a block begin, and its size.
constexpr u64 kRowsOffset = sizeof(Block);
constexpr u64 kSitesOffset = kRowsOffset + sizeof(Row) * kRows;
constexpr u64 kPeersOffset = kSitesOffset + sizeof(Site) * kSites;
constexpr u64 awaiting_offset(u32 peers) { return kPeersOffset + sizeof(Peer) * peers; }
constexpr u64 visits_offset(u32 peers) {
  return awaiting_offset(peers) + sizeof(Awaiting) * kAwaiting;
}
constexpr u64 marks_offset(u32 peers, u32 visits) {
  return visits_offset(peers) + sizeof(Visit) * visits;
}
constexpr u64 regions_offset(u32 peers, u32 visits) {
  return marks_offset(peers, visits) + sizeof(Mark) * kMarks;
}
constexpr u64 threads_offset(u32 peers, u32 visits) {
  return regions_offset(peers, visits) + sizeof(Region) * kRegions;
}
constexpr u64 cost_offset(u32 peers, u32 visits) {
  return threads_offset(peers, visits) + sizeof(Threads);
}
constexpr u64 block_bytes(u32 peers, u32 visits) {
  return whole_pages(cost_offset(peers, visits) + sizeof(Cost) + sizeof(double) * kRows);
}

// As it lies in memory.
struct NodeFile {
  std::byte* bytes = nullptr;
  u64 size = 0;
  bool is_aside = false;  // not in the folder, which this host has not

  template <typename Part>
  Part* at(u64 offset) const {
    return reinterpret_cast<Part*>(bytes + offset);
  }
  Header& header() const { return *at<Header>(0); }
  Block& block(int index) const {
    const Header& own = header();
    return *at<Block>(own.blocks_offset + own.block_bytes * static_cast<u64>(index));
  }
  const FunctionName* functions() const { return at<FunctionName>(header().functions_offset); }
  // Behind what a recording has in its first page: when the job's file is to be written next.
  static constexpr u64 kTurnOffset = 2048;
  static constexpr u64 kNever = ~u64{0};
  std::atomic_ref<u64> turn() const { return std::atomic_ref(*at<u64>(kTurnOffset)); }
};
static_assert(sizeof(Header) <= NodeFile::kTurnOffset);

}  // namespace leadline::explain
