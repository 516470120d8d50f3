"""GNU C and C++."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="gcc",
    programs={"c": ("gcc",), "c++": ("g++",)},
    version=r"^\S*(?:gcc|g\+\+)\S* \(.*\) (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
