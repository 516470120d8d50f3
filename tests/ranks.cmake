# The environment for more ranks than cores: ranks that wait must give up their core, and launchers
# must allow it. Open MPI 4.1's own binomial gather, which node-aware algorithms call between nodes,
# fails with MPI_ERR_INTERN on some datatypes with gaps, depending on where memory lies: linear then.
set(
  crowded
  MPIR_CVAR_CH4_PROGRESS_THROTTLE=1
  MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=64
  I_MPI_PIN=0
  I_MPI_WAIT_MODE=1
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_mpi_yield_when_idle=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_coll_tuned_use_dynamic_rules=1
  OMPI_MCA_coll_tuned_gather_algorithm=1
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  PRTE_MCA_hwloc_default_binding_policy=none
)

# add_rank_test(NAME PROGRAM RANKS LABEL [TESTS PATTERN] [ENVIRONMENT VARIABLE=VALUE...]): as many
# ranks of a program with mpi_main.cpp. It holds no time, so others may run beside it where there
# are cores.
function(add_rank_test name program ranks label)
  cmake_parse_arguments(ranks "" "TESTS" "ENVIRONMENT" ${ARGN})
  add_test(
    NAME ${name}
    COMMAND
      ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${program}> ${ranks}
      ${ranks_TESTS}
  )
  set_tests_properties(
    ${name}
    PROPERTIES
      ENVIRONMENT "${crowded};${ranks_ENVIRONMENT}"
      LABELS ${label}
      PROCESSORS ${ranks}
      TIMEOUT 240
  )
endfunction()
