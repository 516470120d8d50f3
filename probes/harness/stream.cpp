#include "harness/stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <system_error>

namespace leadline::probe {
namespace {

int open_for_writing(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "cannot write " + path);
  return file;
}

void write_all(int file, const void* data, std::size_t bytes, const char* what) {
  const auto* next = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t written = write(file, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw std::system_error(errno, std::generic_category(), std::string("cannot write ") + what);
    }
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace

Stream::Stream(const std::string& folder)
    : events_(open_for_writing(folder + "/events.jsonl")),
      samples_(open_for_writing(folder + "/samples.bin")) {}

Stream::~Stream() {
  close(events_);
  close(samples_);
}

void Stream::samples(std::span<const Sample> samples) {
  write_all(samples_, samples.data(), samples.size_bytes(), "samples.bin");
  records_ += samples.size();
}

void Stream::event(const std::string& name, JsonObject object) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  object.add("event", name).add("time", now.count());
  const std::string line = object.text() + "\n";
  write_all(events_, line.data(), line.size(), "events.jsonl");
}

}  // namespace leadline::probe
