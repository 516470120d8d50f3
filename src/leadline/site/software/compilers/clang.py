"""LLVM's C and C++, and what vendors make of it under its own name; AMD's is a kind apart."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="clang",
    programs={"c": ("clang",), "c++": ("clang++",)},
    version=r"^(?!.*AOCC).*clang version (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
