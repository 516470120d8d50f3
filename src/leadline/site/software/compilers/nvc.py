"""NVIDIA's C and C++."""

from leadline.site.software.compiler import Compiler

COMPILER = Compiler(
    name="nvc",
    programs={"c": ("nvc",), "c++": ("nvc++",)},
    version=r"^nvc(?:\+\+)? (\d+(?:\.\d+)+)",
)
