"""Arm's Performance Libraries, of one thread and integers of 32 bits."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="armpl",
    files=r"/libarmpl(?:_lp64)?\.so",
)
