"""NVIDIA's Fortran."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="nvfortran",
    programs={"fortran": ("nvfortran",)},
    version=r"^nvfortran (\d+(?:\.\d+)+)",
)
