"""LLVM's C and C++, and what vendors make of it under its own name."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="clang",
    programs={"c": ("clang",), "c++": ("clang++",)},
    version=r"clang version (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
