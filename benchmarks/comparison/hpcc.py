"""HPCC: Linpack, transposition, random access, FFT, matrix products, streams, and messages."""

from pathlib import Path

from comparison.application import Ended, Prepared, installed
from leadline.core.errors import UserError
from leadline.model.installation import Installation

_OUTPUT = "hpccoutf.txt"
_MOST_ERROR = 1e-10
_INPUT = """\
HPLinpack benchmark input file
two ranks
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
1000         Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


def prepare(installation: Installation, _folder: Path) -> Prepared:
    """Return Debian's HPCC."""
    words = (installed("hpcc", "hpcc", installation),)
    return Prepared(words, {"OMP_NUM_THREADS": "1"}, {"hpccinf.txt": _INPUT})


def read(ended: Ended) -> float:
    """Return the time of the launch, which is all that HPCC has for the whole of its tests."""
    try:
        verify((ended.folder / _OUTPUT).read_text())
    except OSError as error:
        raise UserError(f"{_OUTPUT}: {error.strerror}") from None
    return ended.wall_s


def verify(said: str) -> None:
    """Raise `UserError` unless every check of HPCC's passed."""
    summary = dict(
        line.split("=", 1) for line in said.splitlines() if "=" in line and " " not in line
    )
    if summary.get("Success") != "1":
        raise UserError("its summary has no Success=1")
    failed = [line.strip() for line in said.splitlines() if "FAILED" in line]
    failed += [
        f"{name}={value}"
        for name, value in summary.items()
        if (name.endswith("Access_Errors") and value != "0")
        or (name.endswith("FFT_maxErr") and not 0 <= float(value) <= _MOST_ERROR)
    ]
    if failed:
        raise UserError(failed[0])
    if "PASSED" not in said:
        raise UserError("no residual was checked")
