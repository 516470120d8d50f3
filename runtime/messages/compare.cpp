// Times of both ways to pack, on the program's own data.
#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/learning/purse.hpp"
#include "runtime/messages/half.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {
namespace {

// Leadline's way is taken where it is so many times faster.
constexpr double kFaster = 1.3;
constexpr int kRepetitions = 5;
// Repetitions end, after two of them, once both ways together took so long.
constexpr double kEnoughSeconds = 40e-6;
// What a library needs beside the data.
constexpr int kBeside = 4096;
constexpr std::size_t kLine = 64;

template <typename Work>
double ticks_of(const Work& work) {
  const std::uint64_t begin = ticks();
  work();
  return static_cast<double>(ticks() - begin);
}

std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

void compare_ways(MessagesOfThread& thread, Direction direction, const Buffer& buffer,
                  const Datatype& datatype, std::size_t bytes, MPI_Comm comm, FasterWay& found) {
  const double begin = static_cast<double>(ticks());
  const double left = purse().left(begin);
  const int count = static_cast<int>(buffer.count);
  int room = 0;
  if (left <= 0 || buffer.count > INT_MAX ||
      PMPI_Pack_size(count, buffer.type, comm, &room) != MPI_SUCCESS || room < 0 ||
      static_cast<std::size_t>(room) > bytes + kBeside) {
    return;
  }
  const std::size_t second = whole_lines(std::max(bytes, static_cast<std::size_t>(room)));
  const Lease lease(thread, second + bytes);
  if (lease.memory() == nullptr) return;
  std::byte* const packed = lease.memory();
  std::byte* const copy = packed + second;
  const bool sends = direction == Direction::kSend;
  const auto own = [&] {
    if (sends) pack(datatype.layout(), buffer.address, packed, bytes);
    std::memcpy(copy, packed, bytes);
    if (!sends) unpack(datatype.layout(), copy, buffer.address, bytes);
    // What is never read need not be written, a compiler might think.
    asm volatile("" : : "r"(copy) : "memory");
  };
  int length = 0;
  int code = MPI_SUCCESS;
  const auto pack_by_library = [&] {
    length = 0;
    code = PMPI_Pack(buffer.address, count, buffer.type, packed, room, &length, comm);
  };
  const auto librarys = [&] {
    if (sends) return pack_by_library();
    int at = 0;
    code = PMPI_Unpack(packed, length, &at, buffer.address, count, buffer.type, comm);
  };
  double own_ticks = 0;
  double librarys_ticks = 0;
  double total = 0;
  int done = 0;
  const double enough = kEnoughSeconds / seconds_per_tick();
  for (; done < kRepetitions && (done < 2 || total < enough); ++done) {
    if (!sends) pack(datatype.layout(), buffer.address, packed, bytes);
    const double mine = ticks_of(own);
    // The other way is taken to be up to four times as slow.
    if (done == 0 && 10 * mine > left) break;
    if (!sends) pack_by_library();
    if (code != MPI_SUCCESS) break;
    const double other = ticks_of(librarys);
    if (code != MPI_SUCCESS) break;
    own_ticks = done == 0 ? mine : std::min(own_ticks, mine);
    librarys_ticks = done == 0 ? other : std::min(librarys_ticks, other);
    total += mine + other;
  }
  purse().lose(static_cast<double>(ticks()) - begin);
  if (code != MPI_SUCCESS) {
    found.way.store(Way::kLibrary, std::memory_order_release);
    return;
  }
  if (done < 2) return;
  const bool faster = librarys_ticks >= kFaster * own_ticks;
  if (faster) found.saved = static_cast<float>(librarys_ticks - own_ticks);
  found.way.store(faster ? Way::kOwn : Way::kLibrary, std::memory_order_release);
}

}  // namespace leadline::runtime
