"""LLVM's Fortran."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="flang",
    programs={"fortran": ("flang-new", "flang")},
    version=r"flang(?:-new)? version (\d+(?:\.\d+)+)",
)
