// How C and Fortran pass what a function takes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <type_traits>

#include "runtime/explain/observer/mpi/function.hpp"

namespace leadline::explain {

// The header of MPI's standard ABI knows no Fortran (MPI 5.0, section 20.4): its handles are
// numbers.
#if defined(MPI_ABI)
using MPI_Fint = int;
#endif

template <typename Type>
Type word_as(Word word) {
  if constexpr (std::is_pointer_v<Type>) {
    return reinterpret_cast<Type>(word);
  } else {
    return static_cast<Type>(word);
  }
}

struct InC {
  static constexpr bool kFortran = false;
  static int integer(Word word) { return static_cast<int>(word); }
  static int integer_at(Word word) { return *reinterpret_cast<const int*>(word); }
  static long long count(Word word) { return static_cast<int>(word); }
  static long long count_at(Word word, int i) { return reinterpret_cast<const int*>(word)[i]; }
  // By value, and what an address leads to.
  template <typename Type>
  static Type handle(Word word) {
    return word_as<Type>(word);
  }
  template <typename Type>
  static Type handle_at(Word word, int i = 0) {
    return reinterpret_cast<const Type*>(word)[i];
  }
  static bool ignored(const void* status) {
    return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
  }
  static constexpr int kFirst = 0;  // index of an array
  static bool failed(Word result, const Word*, int) {
    return static_cast<int>(result) != MPI_SUCCESS;
  }
};

struct InLarge : InC {
  static long long count(Word word) { return word; }
  static long long count_at(Word word, int i) {
    return reinterpret_cast<const MPI_Count*>(word)[i];
  }
};

struct InFortran {
  static constexpr bool kFortran = true;
  static int integer(Word word) { return integer_at(word); }
  static int integer_at(Word word) { return *reinterpret_cast<const MPI_Fint*>(word); }
  static long long count(Word word) { return integer_at(word); }
  static long long count_at(Word word, int i) { return reinterpret_cast<const MPI_Fint*>(word)[i]; }
  template <typename Type>
  static Type handle(Word word) {
    return handle_at<Type>(word);
  }
  template <typename Type>
  static Type handle_at(Word word, int i = 0) {
    const MPI_Fint number = reinterpret_cast<const MPI_Fint*>(word)[i];
#if defined(MPI_ABI)
    if constexpr (std::is_same_v<Type, MPI_Comm>) return PMPI_Comm_fromint(number);
    if constexpr (std::is_same_v<Type, MPI_Datatype>) return PMPI_Type_fromint(number);
    if constexpr (std::is_same_v<Type, MPI_Request>) return PMPI_Request_fromint(number);
    if constexpr (std::is_same_v<Type, MPI_Win>) return PMPI_Win_fromint(number);
    if constexpr (std::is_same_v<Type, MPI_File>) return PMPI_File_fromint(number);
#elif defined(OPEN_MPI)
    if constexpr (std::is_same_v<Type, MPI_Comm>) return PMPI_Comm_f2c(number);
    if constexpr (std::is_same_v<Type, MPI_Datatype>) return PMPI_Type_f2c(number);
    if constexpr (std::is_same_v<Type, MPI_Request>) return PMPI_Request_f2c(number);
    if constexpr (std::is_same_v<Type, MPI_Win>) return PMPI_Win_f2c(number);
#else
    if constexpr (!std::is_same_v<Type, MPI_File>) return number;
#endif
#if !defined(MPI_ABI)
    if constexpr (std::is_same_v<Type, MPI_File>) return PMPI_File_f2c(number);
#endif
  }
  static bool ignored(const void* status);
  static constexpr int kFirst = 1;
  static bool failed(Word, const Word* words, int count) {
    const auto* const error = reinterpret_cast<const MPI_Fint*>(words[count]);
    return error != nullptr && *error != MPI_SUCCESS;
  }
};

}  // namespace leadline::explain
