#include "harness/shared_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace leadline::probe {
namespace {

// Processors fetch lines in pairs, some two pairs at once.
constexpr std::size_t kStride = 256;
constexpr std::size_t kPage = 4096;

// Where a member finds the leader's memory, and the word by which it knows that it is that one.
struct Address {
  std::int32_t pid = 0;
  std::int32_t file = -1;
  std::uint64_t mark = 0;
};

std::uint64_t fresh_mark() {
  const auto ticks = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(ticks) * 1000003 + static_cast<std::uint64_t>(getpid());
}

}  // namespace

SharedPage::SharedPage(World& world, std::size_t lines, std::size_t bytes)
    : data_at_(((lines + 1) * kStride + kPage - 1) / kPage * kPage), bytes_(data_at_ + bytes) {
  bool shared = false;
  if (world.node_rank() == 0) {
    Address address;
    if (create()) {
      address = {getpid(), file_, fresh_mark()};
      mark().store(address.mark);
    }
    shared = is_shared();
    for (int index = 1; index < world.node_size(); ++index) {
      world.send(&address, sizeof address, world.member(index));
    }
    for (int index = 1; index < world.node_size(); ++index) {
      bool seen = false;
      world.receive(&seen, sizeof seen, world.member(index));
      shared = shared && seen;
    }
    for (int index = 1; index < world.node_size(); ++index) {
      world.send(&shared, sizeof shared, world.member(index));
    }
    if (file_ >= 0) close(file_);
  } else {
    const int leader = world.member(0);
    Address address;
    world.receive(&address, sizeof address, leader);
    const bool seen = address.file >= 0 && attach(address.pid, address.file, address.mark);
    world.send(&seen, sizeof seen, leader);
    world.receive(&shared, sizeof shared, leader);
  }
  if (!shared) unmap();
}

SharedPage::~SharedPage() { unmap(); }

SharedPage::Word& SharedPage::word(std::size_t line) const {
  return *reinterpret_cast<Word*>(static_cast<std::byte*>(memory_) + line * kStride);
}

std::byte* SharedPage::data() const { return static_cast<std::byte*>(memory_) + data_at_; }

SharedPage::Word& SharedPage::mark() const { return word(data_at_ / kStride - 1); }

bool SharedPage::create() {
  file_ = memfd_create("leadline-yardstick", MFD_CLOEXEC);
  return file_ >= 0 && posix_fallocate(file_, 0, static_cast<off_t>(bytes_)) == 0 && map(file_);
}

bool SharedPage::attach(int pid, int file, std::uint64_t mark) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(file);
  const int own = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (own < 0) return false;
  // In a container of its own that number is another process: its file may be anything.
  const bool whole = lseek(own, 0, SEEK_END) == static_cast<off_t>(bytes_) && map(own);
  close(own);
  return whole && this->mark().load() == mark;
}

bool SharedPage::map(int file) {
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = memory;
  return true;
}

void SharedPage::unmap() {
  if (memory_) munmap(memory_, bytes_);
  memory_ = nullptr;
}

}  // namespace leadline::probe
