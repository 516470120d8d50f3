"""Makes an environment of the wheels in the file that runs it; of Python's own modules alone."""

import os
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

_WHEELS = "wheels"


def main() -> None:
    """Install into the folder of the first argument, or into one with the version's name."""
    packed = zipfile.ZipFile(sys.argv[0])
    requirement = packed.read("requirement").decode()
    name = packed.read("folder").decode()
    if len(sys.argv) > 2 or "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(f"usage: sh {sys.argv[0]} [FOLDER]   (without: {name})")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else name).absolute()
    if folder.is_file() or (folder.is_dir() and not _is_ours(folder)):
        sys.exit(f"leadline: {folder} holds something else: name another folder")
    start = time.monotonic()
    try:
        _install(packed, requirement, folder)
    except OSError as error:
        sys.exit(f"leadline: cannot write {folder}: {error.strerror}: name another folder")
    print(f"leadline is in {folder}, after {time.monotonic() - start:.0f} s. Next:")
    print(f"    {folder}/bin/leadline survey")
    print(f"    {folder}/bin/leadline explain -- mpirun -n 4 ./app")
    print(f"    {folder}/bin/leadline module --write DIR")


def _is_ours(folder: Path) -> bool:
    return not any(folder.iterdir()) or (folder / "pyvenv.cfg").is_file()


def _install(packed: zipfile.ZipFile, requirement: str, folder: Path) -> None:
    venv.EnvBuilder(symlinks=True).create(folder)
    python = str(folder / "bin" / "python")
    wheels = folder / _WHEELS
    try:
        members = [each for each in packed.namelist() if each.startswith(f"{_WHEELS}/")]
        packed.extractall(folder, members)
        (pip,) = wheels.glob("pip-*.whl")
        # What the user set for pip is for a network.
        usual = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
        command = [python, "-I", f"{pip}/pip", "install", "--quiet", "--upgrade", "--no-index"]
        command += ["--find-links", str(wheels), "--no-compile", "--no-cache-dir"]
        command += ["--disable-pip-version-check", "--root-user-action=ignore", requirement]
        usual["PIP_CONFIG_FILE"] = os.devnull
        if subprocess.run(command, env=usual, check=False).returncode:
            sys.exit("leadline: not installed: see the message above")
    finally:
        shutil.rmtree(wheels, ignore_errors=True)
    # Each user starts what is compiled; whoever shares the folder cannot write there.
    compiled = [python, "-m", "compileall", "-q", "-j0", str(folder / "lib")]
    subprocess.run(compiled, stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    main()
