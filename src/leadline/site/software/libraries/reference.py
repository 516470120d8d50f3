"""The reference BLAS of Netlib: other libraries' files of that name have no such version."""

from leadline.site.software.library import Blas

LIBRARY = Blas(
    name="reference",
    files=r"(?<!atlas)/libblas(?:64)?\.so\.\d+\.\d+\.\d+$",
)
