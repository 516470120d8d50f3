"""GNU Fortran."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="gfortran",
    programs={"fortran": ("gfortran",)},
    version=r"^GNU Fortran \(.*\) (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
