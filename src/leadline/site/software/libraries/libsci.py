"""HPE Cray's LibSci, of one thread."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="libsci",
    files=r"/libsci_(?:cray|gnu|intel|amd|aocc|nvidia)\.so",
)
