"""Intel's Fortran."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="ifx",
    programs={"fortran": ("ifx",)},
    version=r"^ifx \(IFX\) (\d+(?:\.\d+)+)",
    options=("-qopenmp-simd",),
)
