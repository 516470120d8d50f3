#include "benchmarks/mpi/shared_file.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "comm/mpi_world.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {
namespace {

constexpr const char* kNumbers[] = {"cb_nodes", "striping_factor", "striping_unit"};
// No library knows it: one that returns it would return any key, such as Open MPI's OMPIO.
constexpr const char* kNoHint = "leadline_no_such_hint";

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  for (char& each : line) {
    if (each == '\n') each = ' ';
  }
  return line;
}

class Info {
 public:
  explicit Info(const std::map<std::string, std::string>& hints) {
    MPI_REQUIRE(MPI_Info_create(&info_));
    for (const auto& [name, value] : hints) {
      MPI_REQUIRE(MPI_Info_set(info_, name.c_str(), value.c_str()));
    }
  }
  ~Info() { MPI_Info_free(&info_); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  MPI_Info handle() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

std::optional<std::string> value_of(MPI_Info info, const std::string& name) {
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  int found = 0;
  MPI_REQUIRE(MPI_Info_get(info, name.c_str(), MPI_MAX_INFO_VAL, value.data(), &found));
  if (found == 0) return std::nullopt;
  return std::string(value.data());
}

}  // namespace

SharedFile::SharedFile(const Point& point, const std::string& buffering_hint)
    : world_(point.world()),
      rank_(world_.rank()),
      size_(world_.size()),
      bytes_(point.bytes()),
      piece_(point.bytes("piece")),
      collective_(point.choice("access") == "collective"),
      strided_(point.choice("layout") == "strided"),
      name_(world_, bytes_ * static_cast<std::size_t>(size_)) {
  if (const std::string& asked = point.choice(buffering_hint); asked != "default") {
    asked_[buffering_hint] = asked;
  }
  for (const char* name : kNumbers) {
    if (const auto asked = point.integer(name); asked > 0) asked_[name] = std::to_string(asked);
  }
  open(MPI_MODE_CREATE | MPI_MODE_RDWR);
  turn_to(own_part());
}

SharedFile::~SharedFile() {
  if (std::uncaught_exceptions() > 0 || file_ == MPI_FILE_NULL) return;
  MPI_REQUIRE(MPI_File_close(&file_));
}

void SharedFile::open(int mode) {
  auto asked = asked_;
  asked[kNoHint] = "1";
  const Info info(asked);
  const int code =
      MPI_File_open(benchmark_communicator(), path().c_str(), mode, info.handle(), &file_);
  const int failed = code == MPI_SUCCESS ? size_ : rank_;
  const int first = agree<int>(world_, failed, [](int& mine, const int& other) {
    if (other < mine) mine = other;
  });
  if (first == size_) return;
  // Where only some could open the file, closing it would wait for the others for ever.
  file_ = MPI_FILE_NULL;
  throw Unavailable("rank " + std::to_string(first) + " cannot open " + path() +
                    (code == MPI_SUCCESS ? "" : " (" + error_text(code) + ")") + ": " +
                    temporary_folder_advice());
}

void SharedFile::reopen(int part) {
  require(MPI_File_close(&file_), "MPI_File_close");
  open(MPI_MODE_RDWR);
  turn_to(part);
}

// Contiguous parts lie one behind the other. Of strided ones each rank sees its own pieces as one
// stretch: every size_-th piece of the file.
void SharedFile::turn_to(int part) {
  if (!strided_) {
    offset_ = static_cast<MPI_Offset>(part) * static_cast<MPI_Offset>(bytes_);
    return;
  }
  const auto piece = static_cast<int>(piece_);
  const auto extent = static_cast<MPI_Aint>(piece_) * size_;
  MPI_Datatype stretch = MPI_DATATYPE_NULL;
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  MPI_REQUIRE(MPI_Type_contiguous(piece, MPI_BYTE, &stretch));
  MPI_REQUIRE(MPI_Type_create_resized(stretch, 0, extent, &pieces));
  MPI_REQUIRE(MPI_Type_commit(&pieces));
  const Info info(asked_);
  // "native" is not const in older bindings.
  char native[] = "native";
  require(MPI_File_set_view(file_, static_cast<MPI_Offset>(part) * piece, MPI_BYTE, pieces, native,
                            info.handle()),
          "MPI_File_set_view");
  MPI_REQUIRE(MPI_Type_free(&pieces));
  MPI_REQUIRE(MPI_Type_free(&stretch));
}

void SharedFile::write(const void* data) {
  const int count = static_cast<int>(bytes_);
  MPI_Status status;
  if (collective_) {
    require(MPI_File_write_at_all(file_, offset_, data, count, MPI_BYTE, &status),
            "MPI_File_write_at_all");
  } else {
    require(MPI_File_write_at(file_, offset_, data, count, MPI_BYTE, &status), "MPI_File_write_at");
  }
  require_whole(status, "written to");
}

void SharedFile::read(void* data) {
  const int count = static_cast<int>(bytes_);
  MPI_Status status;
  if (collective_) {
    require(MPI_File_read_at_all(file_, offset_, data, count, MPI_BYTE, &status),
            "MPI_File_read_at_all");
  } else {
    require(MPI_File_read_at(file_, offset_, data, count, MPI_BYTE, &status), "MPI_File_read_at");
  }
  require_whole(status, "read from");
}

void SharedFile::sync() { require(MPI_File_sync(file_), "MPI_File_sync"); }

void SharedFile::require(int code, const char* call) const {
  if (code == MPI_SUCCESS) return;
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  const bool full = error_class == MPI_ERR_NO_SPACE || error_class == MPI_ERR_QUOTA;
  throw std::runtime_error(std::string(call) + " of " + path() + " failed: " + error_text(code) +
                           (full ? ": there is no room left" : ""));
}

void SharedFile::require_whole(const MPI_Status& status, const char* what) const {
  int count = 0;
  MPI_REQUIRE(MPI_Get_count(&status, MPI_BYTE, &count));
  if (count == static_cast<int>(bytes_)) return;
  throw std::runtime_error("only " + std::to_string(count) + " of " + std::to_string(bytes_) +
                           " bytes were " + what + " " + path());
}

std::map<std::string, double> SharedFile::hints() const {
  MPI_Info info = MPI_INFO_NULL;
  MPI_REQUIRE(MPI_File_get_info(file_, &info));
  std::map<std::string, double> found;
  const bool echoes = value_of(info, kNoHint).has_value();
  double doubtful = 0.0;
  for (const auto& [name, value] : asked_)
    doubtful += echoes || value_of(info, name) != value ? 1.0 : 0.0;
  found[echoes ? "hints_unknown" : "hints_ignored"] = doubtful;
  for (const char* name : kNumbers) {
    const auto value = echoes ? std::nullopt : value_of(info, name);
    char* end = nullptr;
    const double number = value ? std::strtod(value->c_str(), &end) : 0.0;
    if (!value || end == value->c_str()) continue;
    found[name + std::string(std::strcmp(name, "striping_unit") == 0 ? "_bytes" : "")] = number;
  }
  MPI_REQUIRE(MPI_Info_free(&info));
  return found;
}

std::vector<Axis> file_axes(const std::string& buffering_hint, const std::string& call) {
  Axis bytes = bytes_axis("64K,1M,16M", "what each rank moves");
  bytes.quick_values = "64K,1M";
  Axis buffering = choice_axis(buffering_hint, "the hint of that name: collective buffering",
                               {"default", "enable", "disable"});
  buffering.quick_values = "default";
  const auto number = [](std::string name, std::string summary) {
    return Axis{std::move(name), AxisKind::kInteger, std::move(summary), "0"};
  };
  Axis piece{"piece", AxisKind::kBytes, "one rank's bytes in a row with layout=strided", "4K"};
  piece.minimum = 1;
  piece.maximum = 1 << 30;
  return {
      bytes,
      choice_axis("access", "MPI_File_" + call + "_at_all, or MPI_File_" + call + "_at",
                  {"collective", "independent"}),
      task_axis("layout",
                "blocks: each rank's bytes in one block; strided: in pieces, in turn with those "
                "of the other ranks, through a file view",
                {"blocks", "strided"}),
      piece,
      buffering,
      number("cb_nodes", "the hint of that name: how many ranks touch the file (0: default)"),
      number("striping_factor", "the hint of that name: over how many devices (0: default)"),
      number("striping_unit", "the hint of that name: bytes in a stripe (0: default)"),
  };
}

}  // namespace leadline::probe
