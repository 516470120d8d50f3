"""Intel's Fortran."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="ifx",
    programs={"fortran": ("ifx",)},
    version=r"^ifx \(IFX\) (\d+(?:\.\d+)+)",
    options=("-qopenmp-simd",),
)
