"""Every command that a page prints ends as the page says, and prints what the page shows."""

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import kept_home
import pytest
from checkout import CHECKOUT
from documents import blocks, shown
from followed import BEFORE, ENDLESS, HERE, LONG, NAMED, NOT_HERE, OF_THAT_DAY, STATUS
from programs import compiled, kill_all

PAGES = [
    CHECKOUT / "README.md",
    CHECKOUT / "docs" / "tutorial.md",
    *sorted((CHECKOUT / "docs" / "how-to").glob("*.md")),
]
BIN = Path(sys.executable).parent
# Names of the virtual clusters that pages make.
CLUSTERS = ("", "red")
# Cells of a table that hold figures alone, once these are masked.
_FIGURE = re.compile(r"#[ #x%±]*|# (-|to) #\w?")


class Follower:
    """A user in a folder who types line after line, and keeps what was printed and is wrong."""

    def __init__(self, folder, variables):
        self.folder = folder
        self.variables = dict(variables)
        self.runs = Path(variables["LEADLINE_HOME"]) / "runs"
        self.printed = ""
        self.wrong = []
        self.beside = []

    def prepare(self, line):
        """Type a line that the page leaves out; one that ends in & goes on, as process $PID."""
        if line.endswith("&"):
            self.beside.append(self._start(f"exec {line[:-1]}", subprocess.DEVNULL))
            self.variables["PID"] = str(self.beside[-1].pid)
        else:
            self.type(line)

    def type(self, line, *, endless=False):
        """Type a line, followed by Ctrl-C if it is endless, and return its exit status."""
        before = set(self.folder.iterdir())
        runs = sorted(self.runs.iterdir()) if self.runs.exists() else []
        self.variables |= zip(("RUN_A", "RUN_B"), (run.name for run in runs[-2:]), strict=False)
        kept = self.folder / ".variables"
        lines = (
            f"exec {line}" if endless else f"set -a\n{line}\nended=$?\nenv -0 >{kept}\nexit $ended"
        )
        process = self._start(lines, subprocess.PIPE)
        try:
            said = ""
            if endless:
                said = process.stdout.readline() + process.stdout.readline()
                process.send_signal(signal.SIGINT)
            said += process.communicate()[0]
        finally:
            kill_all(process)
        if not endless:
            pairs = filter(None, kept.read_text().split("\0"))
            self.variables |= (each.split("=", 1) for each in pairs)
        made = sorted(set(self.folder.iterdir()) - before)
        said += "".join(path.read_text() for path in made if path.suffix in (".toml", ".txt"))
        print(f"$ {line}\n{said}[{process.returncode}]\n")
        self.printed += said
        return process.returncode

    def _start(self, line, output):
        return subprocess.Popen(
            ["bash", "-c", line], cwd=self.folder, env=self.variables, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def leave(self):
        """End what goes on, and remove the clusters."""
        for each in self.beside:
            kill_all(each)
            each.wait()
        for name in CLUSTERS if Path(self.variables["LEADLINE_LAB"]).exists() else ():
            self.type(f"leadline virtual-cluster down --yes {name}")


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    """The variables of a user. All pages have one home, so that runs and probes are shared."""
    root = tmp_path_factory.mktemp("user")
    return {
        **os.environ,
        "HOME": str(root),
        "LEADLINE_HOME": str(kept_home.make_home(root / "home")),
        "LEADLINE_LAB": str(root / "lab"),
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "SHARED": str(root),
    }


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with what pages take to be there: programs, a plan, outputs of other programs."""
    folder = tmp_path_factory.mktemp("prepared")
    for source in Path(__file__).parent.glob("*.c"):
        compiled(BIN / "mpicc", source, folder, "-g")
    outputs = CHECKOUT / "tests" / "unit" / "exchange" / "imports" / "data"
    shutil.copy(outputs / "imb-mpi1.txt", folder / "imb.txt")
    for which in ("", "-1", "-2", "-3", "-before", "-after"):
        shutil.copy(outputs / "osu-7.4.txt", folder / f"osu{which}.txt")
    (folder / "sent.csv").write_text("\n".join(",".join("1" * 256) for _ in range(256)))
    (folder / "datasets").symlink_to(CHECKOUT / "datasets")
    (plan,) = blocks((CHECKOUT / "docs" / "reference" / "formats.md").read_text(), "toml")
    (folder / "plan.toml").write_text(plan.replace("maximum = 10000", "maximum = 20"))
    return folder


def masked(text):
    """Return a text without what differs between days and machines: numbers, names, bars, and
    where the lines of a plan's comments end."""
    text = re.sub(r"(?m)^# ", "", text)
    text = re.sub("[█▉▊▋▌▍▎▏▕─]+", "", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT[\w-]*", "RUN", text)
    text = re.sub(r"\b(mpich|openmpi|intel|simgrid)-\d[\d.]*", "MPI", text)
    text = re.sub(r"\b\d+x\d+\b", "PLACE", text)
    hosts = rf"\b(?:{re.escape(platform.node())}|(?:node|[a-z])\d+)\b"
    text = re.sub(hosts, "HOST", text.replace("p99", "p_nn"))
    unit = r"(?: ?(?:[numk]?s|min|h|[KMGT]?i?B|k?B|us|[kMG]B/s)(?!\w))?"
    return re.sub(rf"(?<![A-Za-z_\d])[<>*]?-?\d[\d.,]*(?:e[+-]?\d+)?{unit}", "#", text)


def _cells(line):
    return re.split(r"\s{2,}", line.strip())


def _stand_in_order(cells, line):
    there = iter(_cells(line))
    return all(cell in there for cell in cells)


def missing(output, printed):
    """Return what of a shown output has no like in what was printed.

    Of a table these are its heading, whose columns must stand in one line in their order, and the
    ways in which its figures are written; of anything else, each line.
    """
    lines = masked(printed).splitlines()
    whole = " ".join(" ".join(lines).split())
    cells = {cell for line in lines for cell in _cells(line)}
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", output)):
        shown_lines = paragraph.strip("\n").splitlines()
        heads = (at for at, line in enumerate(shown_lines[:-1]) if _is_heading(line))
        head = next(heads, len(shown_lines))
        for line in shown_lines[:head]:
            if " ".join(masked(line).replace("...", "").split()) not in whole:
                yield line
        for line in shown_lines[head : head + 1]:
            if not any(_stand_in_order(_cells(masked(line)), one) for one in lines):
                yield line
            figures = {cell for row in shown_lines[head + 1 :] for cell in _cells(masked(row))}
            yield from (f"{line}: {each}" for each in figures - cells if _FIGURE.fullmatch(each))


def _is_heading(line):
    names = _cells(masked(line))
    return len(names) > 2 and not any(map(_FIGURE.fullmatch, names))


def _of(page, table, line):
    return [rest for where, part, *rest in table if where == page.stem and re.search(part, line)]


@pytest.mark.mpi
@pytest.mark.timing
@pytest.mark.parametrize(
    "page",
    [each for each in PAGES if each.stem not in LONG or "LEADLINE_FOLLOW" in os.environ],
    ids=lambda path: path.stem,
)
def test_a_page_can_be_followed(page, variables, prepared, tmp_path):
    for path in prepared.iterdir():
        (tmp_path / path.name).symlink_to(path)
    groups, plans = shown(page)
    for name, text in plans.items():
        (tmp_path / name).write_text(f"{text}[stopping]\nmaximum = 20\n")
    follower = Follower(tmp_path, variables)
    try:
        for group in groups:
            follower.printed = ""
            done = [_follow(page, follower, command) for command in group.commands]
            if any(done):
                follower.wrong += [
                    f"nothing like this is printed: {line}"
                    for line in missing(group.output, follower.printed)
                    if not _of(page, OF_THAT_DAY, line)
                ]
    finally:
        follower.leave()
    assert not follower.wrong, "\n".join(follower.wrong)


def _here(line):
    for pattern, words in HERE:
        line = re.sub(pattern, words, line)
    return line


def _follow(page, follower, command):
    """Type a command of a page as it is here, and tell whether it can be."""
    if any(re.search(pattern, command) for pattern, _ in NOT_HERE):
        return False
    for (line,) in _of(page, BEFORE, command):
        follower.prepare(_here(line))
    line = _here(command)
    endless = any(re.search(pattern, command) for pattern in ENDLESS)
    at = len(follower.printed)
    status = follower.type(line, endless=endless)
    said = follower.printed[at:]
    # Some have done what they were asked for when they are interrupted.
    allowed = [0, 130] if endless else [0, *(one for one, _ in _of(page, STATUS, command))]
    if status not in allowed or "Traceback" in said:
        follower.wrong.append(f"{command}: status {status}\n{said[-2000:]}")
    for (names,) in _of(page, NAMED, command):
        lost = [name for name in names if name not in follower.printed]
        follower.wrong += [f"{command} prints no {name!r}" for name in lost]
    return True


@pytest.mark.parametrize("pattern", [*(pattern for pattern, _ in (*NOT_HERE, *HERE)), *ENDLESS])
def test_what_is_treated_alone_stands_in_a_page(pattern):
    every = [each for page in PAGES for group in shown(page)[0] for each in group.commands]
    assert any(re.search(pattern, command) for command in every)


@pytest.mark.parametrize("table", [BEFORE, STATUS, NAMED], ids=["before", "status", "named"])
def test_what_is_known_of_a_command_is_of_one_in_its_page(table):
    for page in PAGES:
        commands = [command for group in shown(page)[0] for command in group.commands]
        of = [part for where, part, *_ in table if where == page.stem]
        assert [part for part in of if not any(re.search(part, each) for each in commands)] == []


def test_what_the_tables_quote_stands_in_its_page():
    """Where a status is said, what is named, and what is of a day."""
    for page in PAGES:
        text = " ".join(page.read_text().split())
        quoted = [says for where, _, _, says in STATUS if where == page.stem]
        quoted += [name for where, _, names in NAMED if where == page.stem for name in names]
        assert [words for words in quoted if words not in text] == []
        lines = [line for group in shown(page)[0] for line in group.output.splitlines()]
        of_a_day = [part for where, part, _ in OF_THAT_DAY if where == page.stem]
        assert [part for part in of_a_day if not any(re.search(part, each) for each in lines)] == []
