"""HPE Cray's C and C++."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="craycc",
    programs={"c": ("craycc",), "c++": ("crayCC",)},
    version=r"^Cray clang version (\d+(?:\.\d+)+)",
    options=("-fopenmp-simd",),
)
