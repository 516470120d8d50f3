"""What the axes of benchmarks with kernels are called, and the values that always mean the same."""

AXES = VARIANT, COMPILER, FLAGS = "variant", "compiler", "flags"
# The compiler of a library that is there already, and its flags.
READY, NO_FLAGS = "ready", "none"
