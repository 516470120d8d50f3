"""The wheel of this leadline: as `make dist` made it, or made again of what is installed."""

import base64
import csv
import hashlib
import io
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from leadline import __version__
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder

# What an installer adds to a wheel.
_ADDED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")


def own_wheel(folder: Path) -> Path:
    """Return the wheel of this leadline, in `folder` or where `make dist` put it.

    Raises `UserError` in a checkout that has none of this version.
    """
    sources = source_folder()
    if sources.name == "_sources":
        return repacked(distribution("leadline"), folder)
    made = sorted((sources / "dist").glob(f"leadline-{__version__}-*.whl"), key=_modified)
    if not made:
        raise UserError(f"this leadline runs from its sources: `make dist` in {sources} first")
    return made[-1]


def _modified(path: Path) -> float:
    return path.stat().st_mtime


def repacked(installed: Distribution, folder: Path) -> Path:
    """Write the wheel that a distribution was installed from into `folder`, and return its path.

    Programs are left out: an installer makes them again of the entry points.
    """
    described = installed.read_text("WHEEL") or ""
    tags = [line.split(": ")[1] for line in described.splitlines() if line.startswith("Tag: ")]
    name = f"{installed.name.replace('-', '_')}-{installed.version}"
    path = folder / f"{name}-{_joined(tags)}.whl"
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in installed.files or ():
            inside = file.as_posix()
            added = file.parent.suffix == ".dist-info" and file.name in _ADDED
            if inside.startswith("../") or "__pycache__" in file.parts or added:
                continue
            path_there = Path(str(file.locate()))
            content = path_there.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.append((inside, f"sha256={digest.decode()}", len(content)))
            # An installer makes executable what is so here.
            entry = zipfile.ZipInfo.from_file(path_there, inside, strict_timestamps=False)
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
        record = f"{name}.dist-info/RECORD"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        wheel.writestr(record, text.getvalue())
    return path


def _joined(tags: list[str]) -> str:
    """Return the tags as a file's name has them.

    >>> _joined(["py3-none-manylinux_2_17_x86_64", "py3-none-manylinux2014_x86_64"])
    'py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64'
    """
    columns = zip(*(tag.split("-") for tag in tags), strict=True)
    return "-".join(".".join(dict.fromkeys(column)) for column in columns)
