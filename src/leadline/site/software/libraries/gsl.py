"""The BLAS of the GNU Scientific Library."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="gsl",
    files=r"/libgslcblas\.so",
    versioned=False,
)
