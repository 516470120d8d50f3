// A file that all ranks share: each has its part, and the file goes when its owner goes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/benchmark.hpp"
#include "harness/temporary_file.hpp"

namespace leadline::probe {

class SharedFile {
 public:
  // Collective. Throws Unavailable where there is no room or no right to write.
  explicit SharedFile(const Point& point, const std::string& buffering_hint);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  // This rank's part, or that of the rank after it, is the one that is read and written.
  int own_part() const { return rank_; }
  int next_part() const { return (rank_ + 1) % size_; }
  // Collective: closes the file, opens it again, and turns to the part.
  void reopen(int part);

  // The whole part, collectively or independently as the point asks.
  void write(const void* data);
  void read(void* data);
  void sync();

  // What the library says of the hints: those in force that are numbers, and how many of those
  // that were asked for are not among them. Of one that returns any key it is unknown which hold.
  std::map<std::string, double> hints() const;

 private:
  void open(int mode);
  void turn_to(int part);
  const std::string& path() const { return name_.path(); }
  void require(int code, const char* call) const;
  void require_whole(const MPI_Status& status, const char* what) const;

  World& world_;
  int rank_;
  int size_;
  std::size_t bytes_;
  std::size_t piece_;
  bool collective_;
  bool strided_;
  std::map<std::string, std::string> asked_;  // hints
  TemporaryFile name_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Offset offset_ = 0;  // of the part in use, within the view
};

// The axes of a benchmark on such a file. `buffering_hint` is romio_cb_write or romio_cb_read.
std::vector<Axis> file_axes(const std::string& buffering_hint, const std::string& call);

// What rank's part holds for a seed.
inline std::uint64_t part_seed(std::uint64_t seed, int part) {
  return (seed << 20U) + static_cast<std::uint64_t>(part);
}

}  // namespace leadline::probe
