"""OpenBLAS, also as NumPy and SciPy bring it."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="openblas",
    files=r"/lib(?:scipy_)?openblas[^/]*\.so",
    asks=(
        "openblas_get_config",
        "openblas_get_config64_",
        "scipy_openblas_get_config",
        "scipy_openblas_get_config64_",
    ),
)
