/* Communicators and windows made in the ways of MPI 4, with the world's beside them or alone. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define LATE_S 0.2

static int rank, size;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  MPI_Abort(MPI_COMM_SELF, 9);
}

/* Its rank and size are the session's from here on. */
static MPI_Comm all_of(MPI_Session session) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  return comm;
}

static void add_up(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  check(sum == size, "sum");
}

/* The last rank comes late. */
static void late(MPI_Comm comm) {
  const double begin = MPI_Wtime();
  while (rank == size - 1 && MPI_Wtime() < begin + LATE_S) continue;
  MPI_Barrier(comm);
  if (rank == size - 1) printf("late %.9f\n", MPI_Wtime() - begin);
}

static void across(MPI_Comm comm) {
  MPI_Comm between;
  MPI_Group all, own, remote;
  const int other = 1 - rank;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 1, &rank, &own);
  MPI_Group_incl(all, 1, &other, &remote);
  MPI_Intercomm_create_from_groups(own, 0, remote, 0, "across", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                                   &between);
  int in = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, between, MPI_STATUS_IGNORE);
  check(in == other, "message between groups");
  MPI_Group_free(&all);
  MPI_Group_free(&own);
  MPI_Group_free(&remote);
  MPI_Comm_free(&between);
}

static void window(MPI_Comm comm) {
  static int memory[4];
  MPI_Win made;
  int* allocated;
  MPI_Alloc_mem(4096, MPI_INFO_NULL, &allocated);
  MPI_Free_mem(allocated);
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &made);
  MPI_Win_attach(made, memory, sizeof memory);
  MPI_Win_fence(0, made);
  MPI_Win_detach(made, memory);
  MPI_Win_free(&made);
}

int main(int argc, char** argv) {
  MPI_Session session;
  const int with_world = !strcmp(argv[1], "mixed");
  if (with_world) MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm comm = all_of(session);
  add_up(comm);
  late(comm);
  if (size == 2) across(comm);
  window(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (with_world) MPI_Finalize();
  printf("ended\n");
  return 0;
}
