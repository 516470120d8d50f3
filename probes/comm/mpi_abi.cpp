#include "comm/mpi_abi.hpp"

#include <mpi.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace leadline::probe {
namespace {

struct NamedType {
  MPI_Datatype type;
  const char* name;
  int bytes;
};

bool right_types(std::string& what) {
  const NamedType types[] = {
      {MPI_CHAR, "MPI_CHAR", sizeof(char)},
      {MPI_BYTE, "MPI_BYTE", 1},
      {MPI_SHORT, "MPI_SHORT", sizeof(short)},
      {MPI_INT, "MPI_INT", sizeof(int)},
      {MPI_UNSIGNED, "MPI_UNSIGNED", sizeof(unsigned)},
      {MPI_LONG, "MPI_LONG", sizeof(long)},
      {MPI_LONG_LONG, nullptr, sizeof(long long)},
      {MPI_INT32_T, "MPI_INT32_T", 4},
      {MPI_UINT64_T, "MPI_UINT64_T", 8},
      {MPI_FLOAT, "MPI_FLOAT", sizeof(float)},
      {MPI_DOUBLE, "MPI_DOUBLE", sizeof(double)},
      {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", sizeof(long double)},
      {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", sizeof(std::complex<double>)},
      {MPI_AINT, "MPI_AINT", sizeof(MPI_Aint)},
      {MPI_OFFSET, "MPI_OFFSET", sizeof(MPI_Offset)},
      {MPI_COUNT, "MPI_COUNT", sizeof(MPI_Count)},
      {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", sizeof(double) + sizeof(int)},
  };
  for (const NamedType& each : types) {
    int bytes = 0;
    int length = 0;
    char name[MPI_MAX_OBJECT_NAME] = {};
    what = std::string("datatype ") + (each.name != nullptr ? each.name : "MPI_LONG_LONG");
    if (MPI_Type_size(each.type, &bytes) != MPI_SUCCESS || bytes != each.bytes) return false;
    if (MPI_Type_get_name(each.type, name, &length) != MPI_SUCCESS) return false;
    if (each.name != nullptr && std::string(name) != each.name) return false;
  }
  int integers = 0;
  int addresses = 0;
  int number = 0;
  int combiner = MPI_UNDEFINED;
  what = "MPI_COMBINER_NAMED";
  return MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &number, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

bool right_operations(std::string& what) {
  const std::pair<MPI_Op, int> results[] = {
      {MPI_SUM, 6 + 3},  {MPI_PROD, 6 * 3}, {MPI_MAX, 6},      {MPI_MIN, 3},
      {MPI_BAND, 6 & 3}, {MPI_BOR, 6 | 3},  {MPI_BXOR, 6 ^ 3}, {MPI_LAND, 1},
  };
  what = "a reduction operation";
  for (const auto& [operation, expected] : results) {
    const int from = 6;
    int to = 3;
    if (MPI_Reduce_local(&from, &to, 1, MPI_INT, operation) != MPI_SUCCESS || to != expected) {
      return false;
    }
  }
  return true;
}

// A status between two others, which nobody may write to.
bool right_statuses(MPI_Comm self, std::string& what) {
  constexpr int kTag = 42;
  const std::array<int, 3> out{1, 2, 3};
  std::array<int, 4> in{};
  std::array<MPI_Status, 3> statuses{};
  statuses[0].MPI_TAG = statuses[2].MPI_SOURCE = -77;
  MPI_Request request = MPI_REQUEST_NULL;
  what = "the layout of MPI_Status, or MPI_ANY_SOURCE and MPI_ANY_TAG";
  if (MPI_Irecv(in.data(), 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, self, &request) !=
          MPI_SUCCESS ||
      MPI_Send(out.data(), 3, MPI_INT, 0, kTag, self) != MPI_SUCCESS ||
      MPI_Wait(&request, &statuses[1]) != MPI_SUCCESS) {
    return false;
  }
  int count = 0;
  if (statuses[1].MPI_SOURCE != 0 || statuses[1].MPI_TAG != kTag || in[2] != 3 ||
      MPI_Get_count(&statuses[1], MPI_INT, &count) != MPI_SUCCESS || count != 3 ||
      statuses[0].MPI_TAG != -77 || statuses[2].MPI_SOURCE != -77) {
    return false;
  }
  what = "MPI_REQUEST_NULL";
  if (request != MPI_REQUEST_NULL) return false;
  what = "MPI_PROC_NULL";
  return MPI_Recv(in.data(), 4, MPI_INT, MPI_PROC_NULL, kTag, self, &statuses[1]) == MPI_SUCCESS &&
         statuses[1].MPI_SOURCE == MPI_PROC_NULL && statuses[1].MPI_TAG == MPI_ANY_TAG;
}

bool right_errors(MPI_Comm self, std::string& what) {
  const auto class_of = [](int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
  };
  int number = 0;
  what = "an error class";
  return class_of(MPI_Send(&number, 1, MPI_INT, 7, 0, self)) == MPI_ERR_RANK &&
         class_of(MPI_Send(&number, -1, MPI_INT, 0, 0, self)) == MPI_ERR_COUNT &&
         class_of(MPI_Bcast(&number, 1, MPI_INT, 7, self)) == MPI_ERR_ROOT;
}

bool right_communicators(MPI_Comm self, std::string& what) {
  MPI_Comm none = self;
  what = "MPI_UNDEFINED, or MPI_COMM_NULL";
  if (MPI_Comm_split(self, MPI_UNDEFINED, 0, &none) != MPI_SUCCESS || none != MPI_COMM_NULL) {
    return false;
  }
  int relation = MPI_UNEQUAL;
  what = "MPI_CONGRUENT";
  if (MPI_Comm_compare(self, MPI_COMM_SELF, &relation) != MPI_SUCCESS ||
      relation != MPI_CONGRUENT) {
    return false;
  }
  MPI_Comm node = MPI_COMM_NULL;
  what = "MPI_COMM_TYPE_SHARED, or MPI_INFO_NULL";
  if (MPI_Comm_split_type(self, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS ||
      node == MPI_COMM_NULL || MPI_Comm_free(&node) != MPI_SUCCESS || node != MPI_COMM_NULL) {
    return false;
  }
  int value = 5;
  what = "MPI_IN_PLACE";
  if (MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, self) != MPI_SUCCESS || value != 5) {
    return false;
  }
  int topology = MPI_CART;
  what = "MPI_CART";
  const int extent = 1;
  MPI_Comm grid = MPI_COMM_NULL;
  if (MPI_Cart_create(self, 1, &extent, &extent, 0, &grid) != MPI_SUCCESS ||
      MPI_Topo_test(grid, &topology) != MPI_SUCCESS || topology != MPI_CART ||
      MPI_Comm_free(&grid) != MPI_SUCCESS) {
    return false;
  }
  int size = -1;
  what = "MPI_GROUP_EMPTY";
  return MPI_Group_size(MPI_GROUP_EMPTY, &size) == MPI_SUCCESS && size == 0;
}

bool right_attributes(std::string& what) {
  int present = 0;
  int* highest_tag = nullptr;
  what = "MPI_TAG_UB";
  if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest_tag, &present) != MPI_SUCCESS ||
      present == 0 || *highest_tag < 32767) {
    return false;
  }
  int key = MPI_KEYVAL_INVALID;
  what = "MPI_KEYVAL_INVALID";
  return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr) ==
             MPI_SUCCESS &&
         key != MPI_KEYVAL_INVALID && MPI_Comm_free_keyval(&key) == MPI_SUCCESS &&
         key == MPI_KEYVAL_INVALID;
}

}  // namespace

std::string abi_difference() {
  // With a header of MPI 4, functions of MPI 4 are called.
  constexpr int kLeast = MPI_VERSION < 4 ? 3 : 4;
  int version = 0;
  int subversion = 0;
  MPI_Get_version(&version, &subversion);
  if (version < kLeast) return "the version of the standard, " + std::to_string(version);
  MPI_Comm self = MPI_COMM_NULL;
  int size = 0;
  std::string what = "MPI_COMM_SELF";
  const bool right = MPI_Comm_dup(MPI_COMM_SELF, &self) == MPI_SUCCESS &&
                     MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
                     MPI_Comm_size(self, &size) == MPI_SUCCESS && size == 1 && right_types(what) &&
                     right_operations(what) && right_statuses(self, what) &&
                     right_errors(self, what) && right_communicators(self, what) &&
                     right_attributes(what);
  if (self != MPI_COMM_NULL) MPI_Comm_free(&self);
  return right ? "" : what;
}

}  // namespace leadline::probe

extern "C" int leadline_self_test(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string difference = leadline::probe::abi_difference();
  std::puts(difference.empty() ? "ok" : ("differs: " + difference).c_str());
  std::fflush(stdout);
  MPI_Finalize();
  return difference.empty() ? 0 : 1;
}
