// What rank 0 writes while it measures: events.jsonl and samples.bin
// (docs/explanation/architecture.md, "Stream"). Every event is on disk when `event` returns, with
// all samples before it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/json.hpp"
#include "harness/record.hpp"

namespace leadline::probe {

class Stream {
 public:
  // Throws std::system_error when the folder cannot be written.
  explicit Stream(const std::string& folder);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void samples(std::span<const Sample> samples);
  // Adds "event" and "time" (seconds since 1970) to the object.
  void event(const std::string& name, JsonObject object);
  std::uint64_t records() const { return records_; }

 private:
  int events_;
  int samples_;
  std::uint64_t records_ = 0;
};

}  // namespace leadline::probe
