// A file that all ranks share for a while.
#pragma once

#include <cstddef>
#include <string>

#include "harness/world.hpp"

namespace leadline::probe {

// What to do where ranks cannot read or write it, as the end of a sentence.
std::string temporary_folder_advice();

// A name for a file, which goes with its owner, and also when rank 0 ends in whatever way.
class TemporaryFile {
 public:
  // Collective. The folder is that of the environment variable LEADLINE_IO_FOLDER of rank 0, or its
  // current one. Throws Unavailable where there is no room for so many bytes, or no right to write.
  TemporaryFile(World& world, std::size_t bytes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  void watch();

  std::string path_;
  bool owner_ = false;
  int pipe_ = -1;
  int child_ = -1;
};

}  // namespace leadline::probe
