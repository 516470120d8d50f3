"""NVIDIA's C and C++."""

from leadline.kernels.compiler import Compiler

COMPILER = Compiler(
    name="nvc",
    programs={"c": ("nvc",), "c++": ("nvc++",)},
    version=r"^nvc(?:\+\+)? (\d+(?:\.\d+)+)",
)
