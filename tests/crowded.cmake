# The environment for more ranks than cores: ranks that wait must give up their core, and launchers
# must allow it.
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
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  PRTE_MCA_hwloc_default_binding_policy=none
)
