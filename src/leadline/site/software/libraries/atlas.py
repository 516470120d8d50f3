"""ATLAS, of one thread."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="atlas",
    files=r"/libsatlas\.so|^atlas[^/]*/libblas\.so",
)
