"""Arm's C and C++."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="armclang",
    programs={"c": ("armclang",), "c++": ("armclang++",)},
    version=r"^Arm C/C\+\+/Fortran Compiler version (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
