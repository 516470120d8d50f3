// Runs the tests on all ranks: PROGRAM RANKS [TESTS], where TESTS is a pattern of names.
// Fails when any rank fails, or when the launcher did not start as many as the test was registered
// with.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // Wrong arguments on purpose must come back as codes; where no communicator is involved, the
  // standard's versions differ on whose handler is asked.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int failed = 0;
  if (argc < 2 || argc > 3 || std::atoi(argv[1]) != size) {
    std::fprintf(stderr, "%s: started on %d ranks, asked for %s\n", argv[0], size,
                 argc >= 2 ? argv[1] : "none");
    failed = 1;
  } else {
    doctest::Context context;
    context.setOption("minimal", true);
    context.setOption("no-colors", true);
    if (argc == 3) context.addFilter("test-case", argv[2]);
    failed = context.run();
  }
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any_failed;
}
