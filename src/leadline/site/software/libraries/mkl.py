"""Intel's oneMKL by its one library for all, which loads the others."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="mkl",
    files=r"/libmkl_rt\.so",
    asks=("mkl_get_version_string",),
)
