"""Arm's Fortran."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="armflang",
    programs={"fortran": ("armflang",)},
    version=r"^Arm C/C\+\+/Fortran Compiler version (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
