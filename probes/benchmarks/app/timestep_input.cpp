#include "benchmarks/app/timestep_input.hpp"

#include <mpi.h>

#include <array>
#include <stdexcept>

#include "comm/mpi_world.hpp"

namespace leadline::probe::timestep {
namespace {

// Errors of files are no errors of a communicator: they are always returned.
void require(int code, const char* call, const std::string& path) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw std::runtime_error(std::string(call) + " of " + path + " failed: " + text.data());
}

}  // namespace

void read_collectively(const std::string& path, const Catchment& catchment, const Area& area,
                       std::vector<double>& into) {
  const std::array<int, 2> whole{catchment.rows, catchment.columns};
  const std::array<int, 2> part{area.rows.size(), area.columns.size()};
  const std::array<int, 2> first{area.rows.begin, area.columns.begin};
  MPI_Datatype view = MPI_DATATYPE_NULL;
  MPI_REQUIRE(MPI_Type_create_subarray(2, whole.data(), part.data(), first.data(), MPI_ORDER_C,
                                       MPI_DOUBLE, &view));
  MPI_REQUIRE(MPI_Type_commit(&view));
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_REQUIRE(MPI_Type_contiguous(part[1], MPI_DOUBLE, &row));
  MPI_REQUIRE(MPI_Type_commit(&row));
  into.resize(area.cells());
  MPI_File file = MPI_FILE_NULL;
  require(
      MPI_File_open(benchmark_communicator(), path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
      "MPI_File_open", path);
  // "native" is not const in older bindings.
  char native[] = "native";
  require(MPI_File_set_view(file, 0, MPI_DOUBLE, view, native, MPI_INFO_NULL), "MPI_File_set_view",
          path);
  MPI_Status status;
  require(MPI_File_read_all(file, into.data(), part[0], row, &status), "MPI_File_read_all", path);
  int rows = 0;
  MPI_REQUIRE(MPI_Get_count(&status, row, &rows));
  if (rows != part[0]) throw std::runtime_error(path + " ends too early");
  require(MPI_File_close(&file), "MPI_File_close", path);
  MPI_REQUIRE(MPI_Type_free(&row));
  MPI_REQUIRE(MPI_Type_free(&view));
}

}  // namespace leadline::probe::timestep
