"""BLIS, and AMD's AOCL made of it."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="blis",
    files=r"/libblis[^/]*\.so",
    asks=("bli_info_get_version_str",),
)
