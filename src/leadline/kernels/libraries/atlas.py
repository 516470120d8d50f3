"""ATLAS, of one thread."""

from leadline.kernels.library import Blas

LIBRARY = Blas(
    name="atlas",
    files=r"/libsatlas\.so|^atlas[^/]*/libblas\.so",
)
