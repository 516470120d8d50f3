#include "runtime/explain/observer/shmem/writes.hpp"

#include <link.h>

#include <algorithm>

namespace leadline::explain {
namespace {

std::atomic_flag writing;

// The program itself, whose variables lie elsewhere in each process.
struct Program {
  u64 base = 0;
  u64 end = 0;

  Program() {
    const auto look = [](dl_phdr_info* object, std::size_t, void* of) {
      auto& program = *static_cast<Program*>(of);
      program.base = object->dlpi_addr;
      for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) & segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        program.end = std::max<u64>(program.end, program.base + segment.p_vaddr + segment.p_memsz);
      }
      return 1;  // it is the first
    };
    dl_iterate_phdr(look, this);
  }
};

// The same for an object on all PEs: symmetric heaps begin at one address, as the library maps
// them.
u64 place_of(const void* object) {
  static const Program program;
  const u64 address = reinterpret_cast<std::uintptr_t>(object);
  return address >= program.base && address < program.end ? address - program.base : address;
}

Writes& writes(int from, int to) {
  return reinterpret_cast<Writes*>(observer.pairs)[std::ptrdiff_t{from} * observer.here + to];
}

}  // namespace

void note_write(int pe, const void* object, u64 bytes, u64 ticks) {
  if (observer.pairs == nullptr || pe < 0 || pe >= observer.ranks) return;
  const int to = observer.index_of[static_cast<std::size_t>(pe)];
  if (to < 0) return;
  const Guard guard(writing);
  Writes& own = writes(observer.index, to);
  const u64 count = own.count.load(std::memory_order_relaxed);
  Writes::Write& write = own.latest[count % Writes::kLatest];
  write.ticks.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  write.begin.store(place_of(object), std::memory_order_relaxed);
  write.bytes.store(bytes, std::memory_order_relaxed);
  write.ticks.store(ticks, std::memory_order_release);
  own.count.store(count + 1, std::memory_order_relaxed);
}

int writer_of(const void* object, u64 bytes, const Call& call) {
  if (observer.pairs == nullptr) return kNoPeer;
  const u64 place = place_of(object);
  u64 last = call.begun();
  int writer = kNoPeer;
  for (std::size_t pe = 0; pe < observer.index_of.size(); ++pe) {
    const int from = observer.index_of[pe];
    if (from < 0 || from == observer.index) continue;
    for (const Writes::Write& write : writes(from, observer.index).latest) {
      const u64 ticks = write.ticks.load(std::memory_order_acquire);
      const u64 begin = write.begin.load(std::memory_order_relaxed);
      const u64 length = write.bytes.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (write.ticks.load(std::memory_order_relaxed) != ticks) continue;
      if (ticks <= last || ticks > call.ended()) continue;
      if (begin >= place + bytes || place >= begin + length) continue;
      last = ticks;
      writer = static_cast<int>(pe);
    }
  }
  return writer;
}

}  // namespace leadline::explain
