"""GNU C and C++."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="gcc",
    programs={"c": ("gcc",), "c++": ("g++",)},
    version=r"^\S*(?:gcc|g\+\+)\S* \(.*\) (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
