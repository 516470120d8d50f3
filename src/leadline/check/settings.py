"""Variables by which users choose how an MPI moves data, and what they leave out."""

import re
from collections.abc import Callable, Mapping


def _leaves_out(text: str, wanted: tuple[str, ...]) -> bool:
    """Tell whether a list, or with ^ a list of what is not wanted, leaves all of these out.

    >>> _leaves_out("^sm,vader", ("vader", "sm")), _leaves_out("^cma", ("cma", "xpmem"))
    (True, False)
    """
    items = set(text.lstrip("^").split(","))
    return items >= set(wanted) if text.startswith("^") else not items & set(wanted)


def _is_on(text: str) -> bool:
    return text.lower() not in ("0", "off", "no", "false", "n", "f", "disable", "")


# Each with the values that leave shared memory out.
_WITHOUT_SHARED_MEMORY: dict[str, Callable[[str], bool]] = {
    "OMPI_MCA_btl": lambda text: _leaves_out(text, ("vader", "sm")),
    "UCX_TLS": lambda text: _leaves_out(text, ("all", "shm", "sm", "mm", "posix", "sysv")),
    "MPIR_CVAR_NOLOCAL": _is_on,
    "MPIR_CVAR_CH4_SHM_ENABLE": lambda text: not _is_on(text),
    "I_MPI_FABRICS": lambda text: "shm" not in text,
    "I_MPI_SHM": lambda text: text.lower() in ("off", "disable", "0", "no"),
    "FI_PROVIDER": lambda text: text in ("tcp", "sockets", "tcp;ofi_rxm"),
    "OMPI_MCA_pml": lambda text: text == "cm",
    "OMPI_MCA_mtl": lambda text: text == "ofi",
}
_WITHOUT_SINGLE_COPY: dict[str, Callable[[str], bool]] = {
    "OMPI_MCA_btl_vader_single_copy_mechanism": lambda text: text == "none",
    "OMPI_MCA_smsc": lambda text: _leaves_out(text, ("cma", "xpmem", "knem")),
    "UCX_TLS": lambda text: text.startswith("^") and _leaves_out(text, ("cma",)),
    "MPIR_CVAR_CH4_CMA_ENABLE": lambda text: not _is_on(text),
    "I_MPI_SHM_CMA": lambda text: not _is_on(text),
}
_FORCED = re.compile(
    r"OMPI_MCA_coll_tuned_(\w+)_algorithm|MPIR_CVAR_(\w+?)_INTRA_ALGORITHM|I_MPI_ADJUST_([A-Z_]+)"
)
_YIELDING: dict[str, Callable[[str], bool]] = {
    "OMPI_MCA_mpi_yield_when_idle": _is_on,
    "I_MPI_WAIT_MODE": _is_on,
    "I_MPI_THREAD_YIELD": lambda text: text in ("2", "3"),
    "MPIR_CVAR_POLLS_BEFORE_YIELD": lambda text: text == "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": _is_on,
}


def narrowing(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that keep ranks of one host from shared memory.

    >>> narrowing({"OMPI_MCA_btl": "tcp,self", "UCX_TLS": "tcp,sm"})
    {'OMPI_MCA_btl': 'tcp,self'}
    """
    return _matching(environment, _WITHOUT_SHARED_MEMORY)


def copying_twice(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that forbid to copy a large message once.

    >>> copying_twice({"OMPI_MCA_smsc": "^cma,xpmem,knem", "MPIR_CVAR_CH4_CMA_ENABLE": "1"})
    {'OMPI_MCA_smsc': '^cma,xpmem,knem'}
    """
    return _matching(environment, _WITHOUT_SINGLE_COPY)


def yielding(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings by which a waiting rank gives its core away."""
    return _matching(environment, _YIELDING)


def forced_algorithms(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that force one algorithm of a collective at every size.

    >>> forced_algorithms({"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "smp",
    ...     "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "auto", "I_MPI_ADJUST_BCAST": "1:0-64;2:65-9999"})
    {'MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM': 'smp'}
    """
    dynamic = _is_on(environment.get("OMPI_MCA_coll_tuned_use_dynamic_rules", "0"))
    return {
        name: value
        for name, value in environment.items()
        if (found := _FORCED.fullmatch(name))
        and value not in ("auto", "0", "", "-1")
        and (dynamic or not found[1])
        and not (found[3] and ":" in value)
    }


def collective_of(name: str) -> str:
    """Return the MPI function that a forcing variable is about.

    >>> collective_of("OMPI_MCA_coll_tuned_allreduce_algorithm")
    'MPI_Allreduce'
    """
    found = _FORCED.fullmatch(name)
    words = next((word for word in found.groups() if word), "") if found else ""
    return f"MPI_{words.capitalize()}"


def _matching(
    environment: Mapping[str, str], known: Mapping[str, Callable[[str], bool]]
) -> dict[str, str]:
    return {
        name: environment[name]
        for name, tells in known.items()
        if name in environment and tells(environment[name])
    }
