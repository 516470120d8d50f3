// The input of a catchment: a file for each field, with a number for each cell, row by row.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "applications/timestep/catchment.hpp"
#include "harness/temporary_file.hpp"
#include "harness/world.hpp"

namespace leadline::probe::timestep {

using Input = std::array<std::vector<double>, kFields.size()>;

// What the files hold, without them.
Input make_input(const Area& area, std::uint64_t seed);

// Reads an area of the cells of a catchment from one file, row by row. Throws std::runtime_error,
// with the file's name, where that fails.
using ReadField = std::function<void(const std::string& path, const Catchment& catchment,
                                     const Area& area, std::vector<double>& into)>;
// With one system call for each row, or fewer.
void read_by_rows(const std::string& path, const Catchment& catchment, const Area& area,
                  std::vector<double>& into);

class InputFiles {
 public:
  // Collective. Throws Unavailable where rank 0 cannot write the files or another cannot read them.
  InputFiles(World& world, const Catchment& catchment);

  // Files of another seed; on rank 0.
  void write(std::uint64_t seed) const;
  void read(const ReadField& read_field, const Area& area, Input& input) const;

 private:
  std::string path(Field field) const { return files_[static_cast<std::size_t>(field)]->path(); }

  Catchment catchment_;
  std::array<std::unique_ptr<TemporaryFile>, kFields.size()> files_;
};

}  // namespace leadline::probe::timestep
