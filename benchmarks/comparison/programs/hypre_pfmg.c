/* -div grad u = 1 on the unit square, u = 0 on its boundary, five-point stencil on (N-1)^2
 * unknowns, by hypre's structured PFMG multigrid as the preconditioner of conjugate gradients.
 *
 *     hypre_pfmg N TOLERANCE RELAXATION COARSE_OPERATOR
 *
 * RELAXATION and COARSE_OPERATOR are hypre's numbers (1: weighted Jacobi, 2: red-black
 * Gauss-Seidel; 0: Galerkin, 1: for five-point stencils). Prints one JSON object. */
#include <HYPRE_struct_ls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double slowest(double begin, MPI_Comm comm) {
  double spent = MPI_Wtime() - begin, most = 0.0;
  MPI_Allreduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  return most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 5) {
    fprintf(stderr, "usage: hypre_pfmg N TOLERANCE RELAXATION COARSE_OPERATOR\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int intervals = atoi(argv[1]);
  const double tolerance = atof(argv[2]);
  const int relaxation = atoi(argv[3]), coarse = atoi(argv[4]);
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  HYPRE_Init();

  /* Rows in strips: nodes 1 .. N-1 in both directions. */
  const int nodes = intervals - 1;
  int lower[2] = {1, 1 + (int)((long)nodes * rank / size)};
  int upper[2] = {nodes, (int)((long)nodes * (rank + 1) / size)};
  const size_t mine = (size_t)nodes * (size_t)(upper[1] - lower[1] + 1);

  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(comm, 2, &grid);
  HYPRE_StructGridSetExtents(grid, lower, upper);
  HYPRE_StructGridAssemble(grid);

  HYPRE_StructStencil stencil;
  int offsets[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  HYPRE_StructStencilCreate(2, 5, &stencil);
  for (int i = 0; i < 5; ++i) HYPRE_StructStencilSetElement(stencil, i, offsets[i]);

  double begin = MPI_Wtime();
  HYPRE_StructMatrix matrix;
  HYPRE_StructMatrixCreate(comm, grid, stencil, &matrix);
  HYPRE_StructMatrixInitialize(matrix);
  double* values = malloc(5 * mine * sizeof *values);
  for (size_t i = 0; i < mine; ++i) {
    values[5 * i] = 4.0;
    for (int j = 1; j < 5; ++j) values[5 * i + j] = -1.0;
  }
  int entries[5] = {0, 1, 2, 3, 4};
  HYPRE_StructMatrixSetBoxValues(matrix, lower, upper, 5, entries, values);
  for (size_t i = 0; i < mine; ++i) values[i] = 0.0;
  for (int side = 0; side < 2; ++side) {
    /* The boundary's values are known: west and east, then south and north. */
    int low[2] = {side == 0 ? 1 : nodes, lower[1]}, high[2] = {side == 0 ? 1 : nodes, upper[1]};
    int entry[1] = {1 + side};
    HYPRE_StructMatrixSetBoxValues(matrix, low, high, 1, entry, values);
    if ((side == 0 && lower[1] == 1) || (side == 1 && upper[1] == nodes)) {
      int from[2] = {1, side == 0 ? 1 : nodes}, to[2] = {nodes, side == 0 ? 1 : nodes};
      int across[1] = {3 + side};
      HYPRE_StructMatrixSetBoxValues(matrix, from, to, 1, across, values);
    }
  }
  HYPRE_StructMatrixAssemble(matrix);
  const double assembly = slowest(begin, comm);

  HYPRE_StructVector load, solution;
  HYPRE_StructVectorCreate(comm, grid, &load);
  HYPRE_StructVectorCreate(comm, grid, &solution);
  HYPRE_StructVectorInitialize(load);
  HYPRE_StructVectorInitialize(solution);
  for (size_t i = 0; i < mine; ++i) values[i] = 1.0 / intervals / intervals;
  HYPRE_StructVectorSetBoxValues(load, lower, upper, values);
  HYPRE_StructVectorSetConstantValues(solution, 0.0);
  HYPRE_StructVectorAssemble(load);
  HYPRE_StructVectorAssemble(solution);

  begin = MPI_Wtime();
  HYPRE_StructSolver solver, multigrid;
  HYPRE_StructPCGCreate(comm, &solver);
  HYPRE_StructPCGSetTol(solver, tolerance);
  HYPRE_StructPCGSetMaxIter(solver, 200);
  HYPRE_StructPCGSetTwoNorm(solver, 1);
  HYPRE_StructPFMGCreate(comm, &multigrid);
  HYPRE_StructPFMGSetMaxIter(multigrid, 1);
  HYPRE_StructPFMGSetTol(multigrid, 0.0);
  HYPRE_StructPFMGSetZeroGuess(multigrid);
  HYPRE_StructPFMGSetNumPreRelax(multigrid, 1);
  HYPRE_StructPFMGSetNumPostRelax(multigrid, 1);
  HYPRE_StructPFMGSetRelaxType(multigrid, relaxation);
  HYPRE_StructPFMGSetRAPType(multigrid, coarse);
  HYPRE_StructPFMGSetSkipRelax(multigrid, 0);
  HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, multigrid);
  HYPRE_StructPCGSetup(solver, matrix, load, solution);
  const double setup = slowest(begin, comm);

  MPI_Barrier(comm);
  begin = MPI_Wtime();
  HYPRE_StructPCGSolve(solver, matrix, load, solution);
  const double solve = slowest(begin, comm);

  int iterations = 0;
  double residual = 0.0, own = 0.0, centre = 0.0;
  HYPRE_StructPCGGetNumIterations(solver, &iterations);
  HYPRE_StructPCGGetFinalRelativeResidualNorm(solver, &residual);
  int middle[2] = {intervals / 2, intervals / 2};
  if (lower[1] <= middle[1] && middle[1] <= upper[1]) {
    HYPRE_StructVectorGetValues(solution, middle, &own);
  }
  MPI_Reduce(&own, &centre, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (rank == 0) {
    printf(
        "{\"assembly_s\": %.9g, \"setup_s\": %.9g, \"solve_s\": %.9g, \"iterations\": %d, "
        "\"residual\": %.6g, \"centre\": %.12g}\n",
        assembly, setup, solve, iterations, residual, centre);
  }
  MPI_Finalize();
  return 0;
}
