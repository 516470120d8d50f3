"""HPE Cray's Fortran."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="crayftn",
    programs={"fortran": ("crayftn",)},
    version=r"^Cray Fortran : Version (\d+(?:\.\d+)+)",
)
