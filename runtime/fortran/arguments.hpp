// What Fortran passes where C's functions take a value of a type.
#pragma once

#include <mpi.h>

// The header of MPI's standard ABI leaves Fortran to itself, and has numbers for handles (MPI 5.0,
// chapter 20).
#if defined(MPI_ABI)
using MPI_Fint = int;
inline MPI_Comm PMPI_Comm_f2c(MPI_Fint number) { return PMPI_Comm_fromint(number); }
inline MPI_Datatype PMPI_Type_f2c(MPI_Fint number) { return PMPI_Type_fromint(number); }
inline MPI_Op PMPI_Op_f2c(MPI_Fint number) { return PMPI_Op_fromint(number); }
inline MPI_Info PMPI_Info_f2c(MPI_Fint number) { return PMPI_Info_fromint(number); }
inline MPI_Fint PMPI_Info_c2f(MPI_Info info) { return PMPI_Info_toint(info); }
inline MPI_File PMPI_File_f2c(MPI_Fint number) { return PMPI_File_fromint(number); }
#endif

namespace leadline::runtime {

// Addresses by which Fortran programs say MPI_IN_PLACE and MPI_BOTTOM, as the
// library that is loaded sees them.
struct FortranConstants {
  const void* in_place;
  const void* bottom;
};

// Found once.
const FortranConstants& fortran_constants();

// Whether they are known, or not needed. They are unknown where Fortran's library was loaded for
// one module of a program alone.
inline bool fortran_constants_known() {
#if defined(OPEN_MPI)
  return fortran_constants().in_place != nullptr && fortran_constants().bottom != nullptr;
#else
  return true;
#endif
}

template <typename C>
struct FromFortran;

template <>
struct FromFortran<int> {
  using Type = const MPI_Fint*;
  static int value(Type argument) { return static_cast<int>(*argument); }
};

template <>
struct FromFortran<const int*> {
  using Type = const MPI_Fint*;
  static const int* value(Type argument) { return argument; }
};

template <>
struct FromFortran<void*> {
  using Type = void*;
  static void* value(Type argument) {
    if (argument == fortran_constants().in_place) return MPI_IN_PLACE;
    return argument == fortran_constants().bottom ? MPI_BOTTOM : argument;
  }
};

template <>
struct FromFortran<const void*> {
  using Type = const void*;
  static const void* value(Type argument) {
    if (argument == fortran_constants().in_place) return MPI_IN_PLACE;
    return argument == fortran_constants().bottom ? MPI_BOTTOM : argument;
  }
};

// Where handles are integers, they are Fortran's too.
#if defined(OPEN_MPI) || defined(MPI_ABI)
template <>
struct FromFortran<MPI_Comm> {
  using Type = const MPI_Fint*;
  static MPI_Comm value(Type argument) { return PMPI_Comm_f2c(*argument); }
};

template <>
struct FromFortran<MPI_Datatype> {
  using Type = const MPI_Fint*;
  static MPI_Datatype value(Type argument) { return PMPI_Type_f2c(*argument); }
};

template <>
struct FromFortran<MPI_Op> {
  using Type = const MPI_Fint*;
  static MPI_Op value(Type argument) { return PMPI_Op_f2c(*argument); }
};
#endif

}  // namespace leadline::runtime
