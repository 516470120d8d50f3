"""NVIDIA's Fortran."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="nvfortran",
    programs={"fortran": ("nvfortran",)},
    version=r"^nvfortran (\d+(?:\.\d+)+)",
)
