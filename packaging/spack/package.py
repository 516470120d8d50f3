# SPDX-License-Identifier: Apache-2.0
"""leadline for Spack: its dependencies are those of pyproject.toml, which a test compares.

With this file as packages/py_leadline/package.py in a repository of yours (`spack repo create`),
`make dist` and, in dist/, `spack install --no-checksum py-leadline`.
"""

import os

from spack.package import *


class PyLeadline(PythonPackage):
    """Measures what a parallel machine's interconnect and MPI/SHMEM libraries really deliver,
    explains it, and makes it more.
    """

    manual_download = True
    url = f"file://{os.getcwd()}/leadline-0.2.0.tar.gz"

    license("Apache-2.0")

    version("0.2.0")

    variant("build", default=True, description="CMake and Ninja of Spack's")
    variant("report", default=True, description="Reports and figures")
    variant("serve", default=False, description="Pages of all runs in a browser")
    variant("place", default=False, description="Orders of ranks cut by METIS")
    conflicts("~report", when="+serve")

    # It builds its probes where it runs, with what is there then. No MPI: it measures those of the
    # site, which it finds by wrappers on PATH, modules and usual folders.
    depends_on("c", type="run")
    depends_on("cxx", type="run")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-hatchling@1.33.0", type="build")

    with default_args(type=("build", "run")):
        depends_on("py-click@8.1:")
        depends_on("py-duckdb@1.1:")
        depends_on("py-msgspec@0.18:")
        depends_on("py-numpy@1.26:")
        depends_on("py-psutil@5.9:")
        depends_on("py-pyelftools@0.32:")
        depends_on("py-rich@13.7:")

        depends_on("cmake@3.25:", when="+build")
        depends_on("ninja@1.11:", when="+build")
        depends_on("py-jinja2@3.1:", when="+report")
        depends_on("py-vl-convert-python@1.7:", when="+report")
        depends_on("py-waitress@3.0:", when="+serve")
        depends_on("py-werkzeug@3.0:", when="+serve")
        depends_on("py-pymetis@2025.2:", when="+place")
