// The functions of the recorder's MPI.
#include "schedules/recorder/mpi.h"

#include <cstddef>
#include <string>
#include <vector>

#include "schedules/recorder/recorder.hpp"

using leadline::replay::Recorder;
using leadline::replay::Refused;
using leadline::replay::Step;

namespace {

int size_of(MPI_Datatype type) {
  switch (type) {
    case MPI_BYTE:
    case MPI_PACKED:
      return 1;
    case MPI_DOUBLE:
      return sizeof(double);
    default:
      throw Refused("datatype " + std::to_string(type) + " is none of the recorder's");
  }
}

std::size_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size_of(type));
}

std::uint32_t message_bytes(int count, MPI_Datatype type) {
  const std::size_t bytes = bytes_of(count, type);
  if (bytes > UINT32_MAX) throw Refused("a message is larger than 4 GiB: ask for fewer bytes");
  return static_cast<std::uint32_t>(bytes);
}

void add_out(Step& step, int count, MPI_Datatype type, int to, int tag) {
  if (to == MPI_PROC_NULL) return;
  step.to = to;
  step.out_bytes = message_bytes(count, type);
  step.out_tag = static_cast<std::uint16_t>(tag);
}

void add_in(Step& step, int count, MPI_Datatype type, int from, int tag) {
  if (from == MPI_PROC_NULL) return;
  step.from = from;
  step.in_bytes = message_bytes(count, type);
  step.in_tag = static_cast<std::uint16_t>(tag);
}

[[noreturn]] void refuse(const char* function) {
  throw Refused(std::string("what ") + function +
                " does is the library's own: there is no list of its messages");
}

// Of persistent requests, by number.
std::vector<Step>& persistent() {
  static std::vector<Step> steps;
  return steps;
}

int keep(const Step& step, MPI_Request* request) {
  *request = static_cast<int>(persistent().size());
  persistent().push_back(step);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

void* leadline_recorded_copy(void* to, const void*, std::size_t bytes) {
  Recorder::current().copy(bytes);
  return to;
}

int PMPI_Send(const void*, int count, MPI_Datatype type, int to, int tag, MPI_Comm) {
  Step step;
  add_out(step, count, type, to, tag);
  Recorder::current().block(step);
  return MPI_SUCCESS;
}

int PMPI_Recv(void*, int count, MPI_Datatype type, int from, int tag, MPI_Comm, MPI_Status*) {
  Step step;
  add_in(step, count, type, from, tag);
  Recorder::current().block(step);
  return MPI_SUCCESS;
}

int PMPI_Sendrecv(const void*, int out_count, MPI_Datatype out_type, int to, int out_tag, void*,
                  int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm, MPI_Status*) {
  Step step;
  add_out(step, out_count, out_type, to, out_tag);
  add_in(step, in_count, in_type, from, in_tag);
  Recorder::current().block(step);
  return MPI_SUCCESS;
}

int PMPI_Isend(const void*, int count, MPI_Datatype type, int to, int tag, MPI_Comm,
               MPI_Request* request) {
  Step step;
  add_out(step, count, type, to, tag);
  Recorder::current().start(step);
  *request = 0;
  return MPI_SUCCESS;
}

int PMPI_Irecv(void*, int count, MPI_Datatype type, int from, int tag, MPI_Comm,
               MPI_Request* request) {
  Step step;
  add_in(step, count, type, from, tag);
  Recorder::current().start(step);
  *request = 0;
  return MPI_SUCCESS;
}

int PMPI_Waitall(int count, MPI_Request*, MPI_Status*) {
  Recorder::current().wait(count);
  return MPI_SUCCESS;
}

int PMPI_Reduce_local(const void*, void*, int count, MPI_Datatype type, MPI_Op) {
  Recorder::current().reduce(bytes_of(count, type));
  return MPI_SUCCESS;
}

int MPI_Recv(void* in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return PMPI_Recv(in, count, type, from, tag, comm, status);
}

int MPI_Isend(const void* out, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Isend(out, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Irecv(in, count, type, from, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Send_init(const void*, int count, MPI_Datatype type, int to, int tag, MPI_Comm,
                  MPI_Request* request) {
  Step step;
  add_out(step, count, type, to, tag);
  return keep(step, request);
}

int MPI_Recv_init(void*, int count, MPI_Datatype type, int from, int tag, MPI_Comm,
                  MPI_Request* request) {
  Step step;
  add_in(step, count, type, from, tag);
  return keep(step, request);
}

int MPI_Startall(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    Recorder::current().start(persistent().at(static_cast<std::size_t>(requests[i])));
  }
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* request) {
  // They are freed together.
  persistent().clear();
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm, int* rank) {
  *rank = Recorder::current().rank();
  return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm, int* size) {
  *size = Recorder::current().size();
  return MPI_SUCCESS;
}

int PMPI_Op_commutative(MPI_Op, int* commutative) {
  *commutative = 1;
  return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype type, int* size) {
  *size = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent) {
  *lower_bound = 0;
  *extent = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower_bound, MPI_Aint* extent) {
  return PMPI_Type_get_extent(type, lower_bound, extent);
}

int PMPI_Type_get_envelope(MPI_Datatype, int* integers, int* addresses, int* types, int* combiner) {
  *integers = *addresses = *types = 0;
  *combiner = MPI_COMBINER_NAMED;
  return MPI_SUCCESS;
}

int PMPI_Get_address(const void*, MPI_Aint*) { refuse("MPI_Get_address"); }
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm) { refuse("MPI_Pack"); }
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm) {
  refuse("MPI_Unpack");
}
int PMPI_Type_create_hindexed(int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*) {
  refuse("MPI_Type_create_hindexed");
}
int PMPI_Type_commit(MPI_Datatype*) { refuse("MPI_Type_commit"); }
int PMPI_Type_free(MPI_Datatype*) { refuse("MPI_Type_free"); }
int MPI_Dist_graph_create_adjacent(MPI_Comm, int, const int*, const int*, int, const int*,
                                   const int*, MPI_Info, int, MPI_Comm*) {
  refuse("MPI_Neighbor_alltoallw");
}
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { refuse("MPI_Comm_set_errhandler"); }
int MPI_Comm_free(MPI_Comm*) { refuse("MPI_Comm_free"); }
int MPI_Neighbor_alltoallw(const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*,
                           const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm) {
  refuse("MPI_Neighbor_alltoallw");
}
int MPI_Win_create(void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*) { refuse("MPI_Put"); }
int MPI_Win_set_errhandler(MPI_Win, MPI_Errhandler) { refuse("MPI_Win_set_errhandler"); }
int MPI_Win_get_group(MPI_Win, MPI_Group*) { refuse("MPI_Win_get_group"); }
int MPI_Win_post(MPI_Group, int, MPI_Win) { refuse("MPI_Win_post"); }
int MPI_Win_start(MPI_Group, int, MPI_Win) { refuse("MPI_Win_start"); }
int MPI_Win_complete(MPI_Win) { refuse("MPI_Win_complete"); }
int MPI_Win_wait(MPI_Win) { refuse("MPI_Win_wait"); }
int MPI_Win_free(MPI_Win*) { refuse("MPI_Win_free"); }
int MPI_Group_incl(MPI_Group, int, const int*, MPI_Group*) { refuse("MPI_Group_incl"); }
int MPI_Group_free(MPI_Group*) { refuse("MPI_Group_free"); }
int MPI_Put(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win) {
  refuse("MPI_Put");
}
}
