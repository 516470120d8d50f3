"""The user's own command, and how it reads when something of it is mended.

Pure functions of words. A command that leadline cannot read (a script) is answered by the start of
the launcher's line that belongs into it.
"""

import itertools
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from leadline.check.launchers import Launcher, named
from leadline.check.observation import Observation

# What people put before a launcher, which its ranks inherit.
_CONFINING = ("taskset", "numactl", "nice", "ionice", "chrt", "strace", "ltrace",
               "unshare")  # fmt: skip
_TRACERS = ("strace", "ltrace")
_SETTING = {
    "-x": 1, "--mca": 2, "-mca": 2, "--gmca": 2, "-gmca": 2, "-genv": 2, "--genv": 2, "-env": 2,
}  # fmt: skip
# Options of launchers with one word after them.
_TAKING = (
    "-host", "--host", "-hosts", "-H", "-ppn", "-npernode", "-f", "--hostfile", "-hostfile",
    "-machinefile", "--machinefile", "-bind-to", "--bind-to", "-map-by", "--map-by", "--rank-by",
    "-N", "-launcher", "-launcher-exec", "-w", "-p", "-t", "-A", "-wdir", "--wdir", "--prefix",
)  # fmt: skip
_PROCESSES = ("-n", "-np", "--np", "-c", "--n", "-ntasks", "--ntasks")


class Command(msgspec.Struct, frozen=True):
    """A command in its parts: words before the launcher, the launcher, its options, the program.

    `readable` is False where the launcher's name or the program is not among the words.
    `inherited` are the variables of its ranks.

    >>> words = "taskset -c 0 mpirun --bind-to none -n 2 ./a 9"
    >>> split(words.split(), named("openmpi5"), ("./a", "9")).bound(1)
    'mpirun --map-by core --bind-to core -n 2 ./a 9'
    """

    launcher: Launcher
    before: tuple[str, ...] = ()
    starter: str = ""
    options: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    readable: bool = True
    inherited: frozenset[str] = frozenset()

    @staticmethod
    def of(seen: Observation) -> "Command":
        """Return the parts of the command that was looked at."""
        launcher = named(seen.launcher)
        program = seen.ranks[0].program if seen.ranks else ()
        inherited = frozenset(seen.ranks[0].environment if seen.ranks else ())
        return msgspec.structs.replace(split(seen.command, launcher, program), inherited=inherited)

    @property
    def _count(self) -> tuple[str, ...]:
        words = (*self.options, *(self.program if not self.launcher.programs else ()))
        for name, number in itertools.pairwise(words):
            if name in _PROCESSES and number.isdigit():
                return ("-n", number)
        return ()

    def bound(self, cores: int) -> str:
        """Return the command with so many cores of its own for each rank."""
        if not self.launcher.programs:
            return self.unconfined()
        options = _without(self.options, self.launcher.binding)
        options = _without_variables(options, self.launcher.variables)
        before = _without_assigned(_without_confining(self.before), self.launcher.variables)
        winning = self.inherited & {*self.launcher.winning}
        return self._text(
            before=_without_inherited(before, [name for name in winning if not self.sets(name)]),
            options=(*self.launcher.bound(cores), *options),
            program=_without_confining(self.program),
        )

    def unconfined(self) -> str:
        """Return the command without what confines its processes."""
        return self._text(
            before=_without_confining(self.before), program=_without_confining(self.program)
        )

    def with_variable(self, name: str, value: str) -> str:
        """Return the command with a variable given to the ranks."""
        options = (*self.launcher.given(name, value), *_without_variables(self.options, (name,)))
        before = _without_assigned(self.before, (name,))
        if not self.launcher.programs:
            return shlex.join(["env", f"{name}={value}", *before, *self.program])
        return self._text(before=before, options=options)

    def without_variables(self, names: Iterable[str]) -> str:
        """Return the command with these variables removed, wherever they are set."""
        gone = tuple(names)
        options = _without_variables(self.options, gone)
        before = _without_assigned(self.before, gone)
        program = _without_assigned(self.program, gone)
        if ":" in program:
            program = _without_variables(program, gone)
        inherited = [name for name in gone if not self.sets(name)]
        before = _without_inherited(before, inherited)
        return self._text(before=before, options=options, program=program)

    def with_processes(self, count: int) -> str:
        """Return the command with another number of processes."""
        options = list(self.options)
        for at, word in enumerate(options):
            name, equals, _ = word.partition("=")
            if name not in _PROCESSES or name in self.launcher.binding:
                continue
            if equals:
                options[at] = f"{name}={count}"
                return self._text(options=tuple(options))
            if at + 1 < len(options):
                options[at + 1] = str(count)
                return self._text(options=tuple(options))
        return self._text(options=("-n", str(count), *options))

    def by(self, mpiexec: str) -> str:
        """Return the command with the launcher of another MPI: the number of processes stays."""
        program = self.program
        if not self.launcher.programs and program:
            # No rank told whose launcher the first word is.
            program = program[_begin_of_program(program, 0, ()) :]
        return shlex.join([*self.before, mpiexec, *self._count, *(program or ("PROGRAM",))])

    def with_wrapper(self, *words: str) -> str:
        """Return the command with words before the program."""
        return self._text(program=(*words, *self.program))

    def with_options(self, *options: str) -> str:
        """Return the command with more options, each instead of the one of that name."""
        former = {option.partition("=")[0]: 1 for option in options}
        return self._text(options=(*options, *_without(self.options, former)))

    def sets(self, name: str) -> bool:
        """Tell whether the command itself sets a variable, and not what it inherited."""
        words = (*self.before, *self.options, *self.program)
        mca = name.removeprefix("OMPI_MCA_")
        assigned = any(word.startswith(f"{name}=") or f",{name}=" in word for word in words)
        return assigned or name in words or (mca != name and mca in words)

    def wraps(self, *programs: str) -> bool:
        """Tell whether one of these programs stands before the launcher or the program."""
        words = {word.rpartition("/")[2] for word in (*self.before, *self.program)}
        return bool(words & {*programs})

    @property
    def confines(self) -> bool:
        """Whether the command itself says to which cores ranks go."""
        options = {word.partition("=")[0] for word in self.options}
        return self.wraps("taskset", "numactl") or bool(options & set(self.launcher.binding))

    def _text(
        self,
        *,
        before: tuple[str, ...] | None = None,
        options: tuple[str, ...] | None = None,
        program: tuple[str, ...] | None = None,
    ) -> str:
        options = self.options if options is None else options
        before = self.before if before is None else before
        program = self.program if program is None else program
        if not self.readable and self.launcher.programs:
            return shlex.join([self.launcher.programs[0], *options, "PROGRAM"])
        starter = [self.starter] if self.starter else []
        return shlex.join([*(() if before == ("env",) else before), *starter, *options, *program])


def split(words: Iterable[str], launcher: Launcher, program: tuple[str, ...]) -> Command:
    """Return the parts of a command of which ranks run `program`."""
    argv = tuple(words)
    at = next(
        (at for at, word in enumerate(argv) if PurePosixPath(word).name in launcher.programs), None
    )
    if at is None:
        return Command(launcher, program=argv, readable=not launcher.programs)
    begin = _begin_of_program(argv, at, program)
    return Command(launcher, argv[:at], argv[at], argv[at + 1 : begin], argv[begin:])


def _begin_of_program(argv: tuple[str, ...], at: int, program: tuple[str, ...]) -> int:
    taking = {**_SETTING, **dict.fromkeys((*_PROCESSES, *_TAKING), 1)}
    place = at + 1
    while place < len(argv) and argv[place].startswith("-"):
        words = taking.get(argv[place], 0)
        if argv[place] == "--":
            return place + 1
        place += 1 + words
    if place < len(argv):
        return place
    if program and program[0] in argv[at + 1 :]:
        return argv.index(program[0], at + 1)
    return len(argv)


def _groups(words: tuple[str, ...], taking: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield each word with those after it that it takes."""
    at = 0
    while at < len(words):
        width = 1 + taking.get(words[at], 0)
        yield words[at : at + width]
        at += width


def _without(options: tuple[str, ...], gone: Mapping[str, int]) -> tuple[str, ...]:
    names = (group for group in _groups(options, gone) if group[0] not in gone)
    return tuple(word for (word,) in names if "=" not in word or word.partition("=")[0] not in gone)


def _without_variables(options: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    gone = {*names}
    gone |= {name.removeprefix("OMPI_MCA_") for name in gone if name.startswith("OMPI_MCA_")}
    kept = (
        word
        for group in _groups(options, _SETTING)
        if len(group) == 1 or group[1].partition("=")[0] not in gone
        for word in group
    )
    return tuple(filter(None, (_without_listed(word, gone) for word in kept)))


def _without_listed(word: str, gone: set[str]) -> str:
    if not word.startswith("--export="):
        return word
    items = word.removeprefix("--export=").split(",")
    left = [each for each in items if each.partition("=")[0] not in gone]
    return "--export=" + ",".join(left) if left and left != ["ALL"] else ""


def _without_assigned(words: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    gone = {*names}
    kept = tuple(word for word in words if word.partition("=")[0] not in gone or "=" not in word)
    return kept[1:] if kept[:1] == ("env",) and kept != words and not _assigns(kept[1:]) else kept


def _without_inherited(before: tuple[str, ...], names: Iterable[str]) -> tuple[str, ...]:
    """Return the words before a launcher, which then does not inherit these variables."""
    first = [word for name in names for word in ("-u", name)]
    if not first:
        return before
    return ("env", *first, *(before[1:] if before[:1] == ("env",) else before))


def _assigns(words: tuple[str, ...]) -> bool:
    return bool(words) and ("=" in words[0] or words[0].startswith("-"))


def _without_confining(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without programs that confine or trace others, and the options of these.

    >>> _without_confining(("env", "A=1", "taskset", "-c", "0"))
    ('env', 'A=1')
    """
    kept: list[str] = []
    at = 0
    while at < len(words):
        name = PurePosixPath(words[at]).name
        if name not in _CONFINING:
            kept.append(words[at])
            at += 1
            continue
        at += 1
        while at < len(words) and (words[at].startswith("-") or _is_value(words[at])):
            at += 2 if name in _TRACERS and words[at] in ("-o", "-e", "-p", "-s", "-P") else 1
    return tuple(kept)


def _is_value(word: str) -> bool:
    return word[:1].isdigit() and all(each in "0123456789abcdefx,-:" for each in word)
