"""Arm's Fortran."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="armflang",
    programs={"fortran": ("armflang",)},
    version=r"^Arm C/C\+\+/Fortran Compiler version (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
