"""HPE Cray's Fortran."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="crayftn",
    programs={"fortran": ("crayftn",)},
    version=r"^Cray Fortran : Version (\d+(?:\.\d+)+)",
)
