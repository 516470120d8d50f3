/* -div grad u = 1 on the unit square, u = 0 on its boundary, five-point stencil on (N-1)^2
 * unknowns, by PETSc's conjugate gradients; the preconditioner is chosen by PETSc's own options.
 *
 *     petsc_cg -intervals N -ksp_rtol TOLERANCE -pc_type mg -pc_mg_levels 10 ...
 *
 * Prints one JSON object. */
#include <petscdmda.h>
#include <petscksp.h>

static double slowest(double begin) {
  double spent = MPI_Wtime() - begin, most = 0.0;
  MPI_Allreduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return most;
}

static int on_boundary(const DMDALocalInfo* info, PetscInt i, PetscInt j) {
  return i == 0 || j == 0 || i == info->mx - 1 || j == info->my - 1;
}

/* The operator on the lattice of `dm`, for every level of a geometric multigrid. Nodes on the
 * boundary, which PETSc's nested lattices need, are equations of their own. */
static PetscErrorCode assemble(KSP ksp, Mat unused, Mat matrix, void* context) {
  DM dm;
  DMDALocalInfo info;
  PetscFunctionBeginUser;
  PetscCall(KSPGetDM(ksp, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  for (PetscInt j = info.ys; j < info.ys + info.ym; ++j) {
    for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
      MatStencil row = {.i = i, .j = j}, columns[5];
      PetscScalar values[5];
      PetscInt count = 0;
      const PetscInt steps[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
      for (int each = 0; each < 5; ++each) {
        const PetscInt x = i + steps[each][0], y = j + steps[each][1];
        if (each > 0 && (on_boundary(&info, i, j) || on_boundary(&info, x, y))) continue;
        columns[count] = (MatStencil){.i = x, .j = y};
        values[count++] = each == 0 ? 4.0 : -1.0;
      }
      PetscCall(MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscInt intervals = 64;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-intervals", &intervals, NULL));
  DM dm;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                         intervals + 1, intervals + 1, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL,
                         &dm));
  PetscCall(DMDASetInterpolationType(dm, DMDA_Q1));
  PetscCall(DMSetUp(dm));
  KSP ksp;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetDM(ksp, dm));
  PetscCall(KSPSetComputeOperators(ksp, assemble, NULL));
  PetscCall(KSPSetFromOptions(ksp));
  double begin = MPI_Wtime();
  PetscCall(KSPSetUp(ksp));
  const double setup = slowest(begin);
  Vec load, solution;
  PetscCall(DMCreateGlobalVector(dm, &load));
  PetscCall(VecDuplicate(load, &solution));
  DMDALocalInfo info;
  PetscScalar** values;
  PetscCall(DMDAGetLocalInfo(dm, &info));
  PetscCall(DMDAVecGetArray(dm, load, &values));
  for (PetscInt j = info.ys; j < info.ys + info.ym; ++j) {
    for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
      values[j][i] = on_boundary(&info, i, j) ? 0.0 : 1.0 / intervals / intervals;
    }
  }
  PetscCall(DMDAVecRestoreArray(dm, load, &values));
  MPI_Barrier(PETSC_COMM_WORLD);
  begin = MPI_Wtime();
  PetscCall(KSPSolve(ksp, load, solution));
  const double solve = slowest(begin);
  PetscInt iterations;
  PetscReal residual, first, most;
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetResidualNorm(ksp, &residual));
  PetscCall(VecNorm(load, NORM_2, &first));
  /* The largest value is at the centre. */
  PetscCall(VecMax(solution, NULL, &most));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "{\"assembly_s\": 0, \"setup_s\": %.9g, \"solve_s\": %.9g, "
                        "\"iterations\": %d, \"residual\": %.6g, \"centre\": %.12g}\n",
                        setup, solve, (int)iterations, (double)(residual / first), (double)most));
  PetscCall(PetscFinalize());
  return 0;
}
