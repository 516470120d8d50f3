"""AMD's C and C++ for its processors: LLVM's under the same names, with a version of its own."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="aocc",
    programs={"c": ("clang",), "c++": ("clang++",)},
    version=r"clang version .*AOCC_(\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
