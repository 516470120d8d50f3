// What benchmarks of collectives share: the data of each collective, what must come out, and the
// operation around the call.
//
// `bytes` is what MPI's own count argument says: the whole vector or message of bcast, reduce,
// allreduce, scan and exscan; one block, of which there is one for each rank, of the others. The
// bandwidth is bytes over time of the largest buffer that one rank hands to the call, however many
// bytes travel: `bytes` for the former, P times `bytes` for the latter.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/mpi/overlap.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {

// `buffers`: separate ones, or MPI_IN_PLACE; at the root, where there is one.
Axis buffers_axis();
bool in_place(const Point& point);

Axis root_axis();
// Unavailable where there are not so many ranks.
int root_of(const Point& point);

// Sizes of most collectives.
inline constexpr const char* kCollectiveValues = "8,64,512,4K,32K,256K,1M";

// The one series of a blocking collective.
std::vector<Series> completion();
// A blocking collective: what all of them have in common is added to what is its own.
Benchmark blocking(Benchmark own);

// The data of one collective on one rank, for one call after the other.
class Data {
 public:
  struct Sides {
    const void* out;  // MPI_IN_PLACE where asked
    void* in;
  };

  virtual ~Data() = default;
  // The buffers of the next call.
  Sides next();
  virtual void fill(std::uint64_t seed) = 0;
  virtual std::size_t wrong_bytes(std::uint64_t seed) const = 0;

 protected:
  // In place, the input lies in the buffer for the result.
  Data(const Point& point, std::size_t out_bytes, std::size_t in_bytes, bool in_place)
      : out_(point.buffer(in_place ? 0 : out_bytes)),
        in_(point.buffer(in_bytes)),
        in_place_(in_place) {}
  std::byte* input() { return in_place_ ? in_.data() : out_.data(); }
  std::byte* room() { return in_.data(); }
  const std::byte* result() const { return result_; }

 private:
  Buffer out_;
  Buffer in_;
  bool in_place_;
  std::byte* result_ = nullptr;  // of the last call
};

using SharedData = std::shared_ptr<Data>;

// A part of a buffer. Its content depends on where it comes from and where it goes.
struct Block {
  std::size_t offset;
  std::size_t bytes;
  int source;
  int destination;  // kEverywhere where all get the same
};
inline constexpr int kEverywhere = -1;

// Blocks as they are sent and as they must come: any collective that only moves data.
SharedData moved(const Point& point, std::vector<Block> sent, std::vector<Block> received,
                 bool in_place);

// The data of the collectives, by `bytes` of the point. All of them can be prepared more than once.
SharedData bcast_data(const Point& point, int root);
SharedData gather_data(const Point& point, int root, bool in_place);
SharedData scatter_data(const Point& point, int root, bool in_place);
SharedData allgather_data(const Point& point, bool in_place);
SharedData alltoall_data(const Point& point, bool in_place);

// The doubles that a rank adds to a sum, whole numbers, and how many bytes of the sum over the
// ranks 0 to `ranks` - 1 are wrong: its elements from `first` on.
void fill_summand(std::byte* data, std::size_t elements, std::uint64_t seed, int rank);
std::size_t wrong_sum(const std::byte* data, std::size_t elements, std::uint64_t seed, int ranks,
                      std::size_t first = 0);

// Sums of vectors of doubles: every rank adds `elements` of them; this rank gets `result_elements`
// from `first` on, summed over the ranks 0 to `ranks` - 1.
struct Sum {
  std::size_t elements;
  std::size_t first;
  std::size_t result_elements;
  int ranks;
};
SharedData summed(const Point& point, const Sum& sum, bool in_place);

// Every rank adds as many doubles as `bytes` holds. This rank gets the sum over `ranks` ranks of
// all of them, or, with 0 ranks, nothing.
SharedData summed(const Point& point, int ranks, bool in_place);

// How many doubles `bytes` holds, as MPI counts.
int doubles(const Point& point);

// Number of blocks in the largest buffer that one rank hands over: 1, or the number of processes.
enum class Extent { kOne, kProcesses };

// The operation around `call(out, in)`, which makes the one MPI call.
template <typename Call>
Operation collective(const Point& point, const SharedData& data, Extent extent, const Call& call) {
  const std::size_t bytes = point.bytes();
  const int blocks = extent == Extent::kOne ? 1 : point.world().size();
  Operation operation = operation_of(data);
  operation.call = [data, call] {
    const auto [out, in] = data->next();
    call(out, in);
  };
  operation.bytes = bytes;
  operation.moved_bytes = static_cast<double>(bytes) * blocks;
  return operation;
}

// The same for the non-blocking form: `call(out, in, request)`, on fresh `data()` twice.
template <typename MakeData, typename Call>
Operation overlapped_collective(const Point& point, MakeData data, Call call) {
  Operation operation = overlapped(point, [&] {
    const SharedData own = data();
    Transfer transfer;
    transfer.start = [own, call](MPI_Request* request) {
      const auto [out, in] = own->next();
      call(out, in, request);
    };
    transfer.fill = [own](std::uint64_t seed) { own->fill(seed); };
    transfer.wrong_bytes = [own](std::uint64_t seed) { return own->wrong_bytes(seed); };
    return transfer;
  });
  operation.bytes = point.bytes();
  return operation;
}

}  // namespace leadline::probe
