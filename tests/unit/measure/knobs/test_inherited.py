"""The variables that an MPI inherits: which are kept, which are left out, and what sets them."""

from pathlib import Path

from leadline.measure.knobs.inherited import all_prefixes, inherited
from leadline.model.installation import Installation
from leadline.site.hardware.files import Files

DEBIAN = Installation(
    name="openmpi-4.1.4",
    family="openmpi",
    version="4.1.4",
    prefix="/usr",
    source="PATH",
    built={"configure": "'--sysconfdir=/etc' '--sysconfdir=/etc/openmpi'"},
)
MPICH = Installation(
    name="mpich-5.0.2", family="mpich", version="5.0.2", prefix="/opt/mpich", source="PATH"
)


def found(environment, *installations, root="/nowhere"):
    variables = inherited(installations, environment, Files(Path(root)))
    return {each.name: (each.value, each.source) for each in variables}


def test_variables_of_mpis_networks_and_leadline_are_kept_and_no_others():
    configuring = {
        "OMPI_MCA_btl": "self,tcp",
        "PMIX_MCA_gds": "hash",
        "UCX_TLS": "tcp",
        "FI_PROVIDER": "tcp",
        "MPIR_CVAR_CH4_SHM_EAGER": "8192",
        "I_MPI_PIN": "0",
        "HYDRA_IFACE": "lo",
        "PSM2_DEVICES": "self",
        "MPICH_OFI_NIC_POLICY": "GPU",
        "OMP_NUM_THREADS": "1",
        "LEADLINE_PROFILE": "/p",
    }
    others = {
        "HOME": "/nowhere",
        "AWS_SECRET_ACCESS_KEY": "s",
        "OMPI_COMM_WORLD_RANK": "1",
        "PMIX_NAMESPACE": "x",
        "LEADLINE_HOME": "/h",
        "LEADLINE_TAG": "run/0",
        "UCX_AUTH_TOKEN": "s",
    }
    assert found({**configuring, **others}) == {
        name: (value, "environment") for name, value in configuring.items()
    }


def test_a_file_of_parameters_is_the_origin_where_the_environment_sets_nothing(tmp_path):
    (tmp_path / "etc/openmpi").mkdir(parents=True)
    file = tmp_path / "etc/openmpi/openmpi-mca-params.conf"
    file.write_text("# of this site\nbtl = self,tcp # no shared memory\npml = ob1\n")
    (tmp_path / "etc/environment").write_text('UCX_TLS="tcp"\nUCX_LOG_LEVEL=warn\n')
    environment = {"UCX_TLS": "tcp", "OMPI_MCA_pml": "ucx", "UCX_LOG_LEVEL": "info"}
    assert found(environment, DEBIAN, MPICH, root=tmp_path) == {
        "OMPI_MCA_btl": ("self,tcp", "/etc/openmpi/openmpi-mca-params.conf"),
        "OMPI_MCA_pml": ("ucx", "environment"),
        "UCX_LOG_LEVEL": ("info", "environment"),
        "UCX_TLS": ("tcp", "/etc/environment"),
    }
    assert "OMPI_MCA_btl" not in found(environment, MPICH, root=tmp_path)


def test_every_reader_names_beginnings_that_end_as_names_of_a_family_do():
    assert all(len(prefix) > 2 for prefix in all_prefixes())
