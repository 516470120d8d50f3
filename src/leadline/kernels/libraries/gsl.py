"""The BLAS of the GNU Scientific Library."""

from leadline.kernels.library import Blas

LIBRARY = Blas(
    name="gsl",
    files=r"/libgslcblas\.so",
    versioned=False,
)
