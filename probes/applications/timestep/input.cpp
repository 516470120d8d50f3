#include "applications/timestep/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe::timestep {
namespace {

std::runtime_error cannot(const char* what, const std::string& path, const std::string& why) {
  return std::runtime_error(std::string("cannot ") + what + " " + path + ": " + why);
}

void fill(std::vector<double>& values, Field field, const Area& area, std::uint64_t seed) {
  values.clear();
  values.reserve(area.cells());
  for (int i = area.rows.begin; i < area.rows.end; ++i) {
    for (int j = area.columns.begin; j < area.columns.end; ++j) {
      values.push_back(field_value(field, seed, i, j));
    }
  }
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) throw cannot("read", path, std::strerror(errno));
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void read(const std::string& path, void* into, std::size_t bytes, std::size_t from) const {
    auto* next = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = ::pread(number_, next, bytes, static_cast<off_t>(from));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw cannot("read", path, std::strerror(errno));
      if (got == 0) throw cannot("read", path, "it ends too early");
      next += got;
      from += static_cast<std::size_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }

 private:
  int number_;
};

}  // namespace

Input make_input(const Area& area, std::uint64_t seed) {
  Input input;
  for (const Field field : kFields) fill(input[static_cast<std::size_t>(field)], field, area, seed);
  return input;
}

void read_by_rows(const std::string& path, const Catchment& catchment, const Area& area,
                  std::vector<double>& into) {
  const Descriptor file(path);
  const auto columns = static_cast<std::size_t>(area.columns.size());
  const bool whole_rows = area.columns.size() == catchment.columns;
  const std::size_t rows_at_once = whole_rows ? static_cast<std::size_t>(area.rows.size()) : 1;
  into.resize(area.cells());
  for (std::size_t row = 0; row < into.size() / columns; row += rows_at_once) {
    const auto first = (static_cast<std::size_t>(area.rows.begin) + row) *
                           static_cast<std::size_t>(catchment.columns) +
                       static_cast<std::size_t>(area.columns.begin);
    file.read(path, into.data() + row * columns, rows_at_once * columns * sizeof(double),
              first * sizeof(double));
  }
}

InputFiles::InputFiles(World& world, const Catchment& catchment) : catchment_(catchment) {
  const std::size_t bytes = catchment.whole().cells() * sizeof(double);
  for (auto& file : files_) file = std::make_unique<TemporaryFile>(world, bytes);
  if (world.rank() == 0) {
    for (const Field field : kFields) std::ofstream(path(field), std::ios::binary);
  }
  barrier(world);
  const bool there = ::access(path(kFields.back()).c_str(), R_OK) == 0;
  const int first = -agree(world, there ? -world.size() : -world.rank(), take_maximum<int>);
  if (first == world.size()) return;
  throw Unavailable("rank " + std::to_string(first) + " cannot read " + path(kFields.back()) +
                    ": " + temporary_folder_advice());
}

void InputFiles::write(std::uint64_t seed) const {
  std::vector<double> row;
  for (const Field field : kFields) {
    std::ofstream file(path(field), std::ios::binary | std::ios::trunc);
    for (int i = 0; i < catchment_.rows; ++i) {
      fill(row, field, {{i, i + 1}, {0, catchment_.columns}}, seed);
      file.write(reinterpret_cast<const char*>(row.data()),
                 static_cast<std::streamsize>(row.size() * sizeof(double)));
    }
    if (!file.flush()) throw cannot("write", path(field), std::strerror(errno));
  }
}

void InputFiles::read(const ReadField& read_field, const Area& area, Input& input) const {
  for (const Field field : kFields) {
    read_field(path(field), catchment_, area, input[static_cast<std::size_t>(field)]);
  }
}

}  // namespace leadline::probe::timestep
