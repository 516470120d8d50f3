"""Intel's C and C++."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="icx",
    programs={"c": ("icx",), "c++": ("icpx",)},
    version=r"oneAPI DPC\+\+/C\+\+ Compiler (\d+(?:\.\d+)+)",
    options=("-qopenmp-simd",),
)
