"""`leadline jobs`: the worst of many jobs first, findings, a mail, and folders that it refuses."""

import json
import os
import random
import re
import shlex
import stat
import time
from datetime import date, datetime

import pytest
from click.testing import CliRunner
from job_files import ABORTED, RUNNING, even, late, put, put_findings, rank, row, write_job
from wording import faults

from leadline.cli import group, main
from leadline.core.errors import UserError
from leadline.core.processes import ProgramOutput
from leadline.explain.job_file import user_name
from leadline.explain.jobs import folder as jobs_folder
from leadline.explain.jobs import running as jobs_running
from leadline.explain.jobs.folder import prepare
from leadline.site.schedulers import job_source
from leadline.site.schedulers.slurm.jobs import SOURCE

ME = user_name(os.geteuid())
NOW = time.time()


@pytest.fixture(autouse=True)
def slurm(monkeypatch):
    """Be where Slurm is, which knows these jobs; return what it is asked."""
    asked = []

    def make(*jobs, status=0):
        def ask(argv, *_):
            asked.append(argv[0])
            form = argv[-1].replace("%A", "{}").replace("%u", "{}").replace("%T", "{}")
            rows = [form.format(*job) for job in jobs]
            return ProgramOutput(status=status, output="\n".join(rows), errors="")

        monkeypatch.setattr(job_source, "ask", ask)
        return asked

    monkeypatch.setattr(jobs_running, "source", lambda: SOURCE)
    make()
    return make


def run(*words):
    return CliRunner().invoke(group, ["jobs", *map(str, words)])


def answer(*words):
    found = run(*words)
    assert found.exit_code == 0, (found.output, found.exception)
    return found.output


def refusal(*words):
    found = run(*words)
    assert isinstance(found.exception, UserError), (found.output, found.exception)
    assert found.output == ""
    return str(found.exception)


_BAD = [
    ("rank", lambda: late(8, by=4.0, late=(5,)), "rank 5 late"),
    ("node", lambda: late(8, by=4.0, late=(4, 5, 6, 7), nodes=2), "node n2 late"),
    ("files", lambda: even(8, files=4.0, mpi=5.0), "files 40 %"),
    ("setup", lambda: [rank(each, mpi=4.0, rows=[row("MPI_Comm_split", seconds=4.0)])
                       for each in range(8)], "set-up 40 %"),
    ("hung", lambda: [rank(each, state=RUNNING, inside=("MPI_Recv", 9.0)) for each in range(8)],
     "did not end: 8 ranks in MPI_Recv at solve"),
    ("abort", lambda: [*even(7), rank(7, state=ABORTED)], "rank 7 called MPI_Abort"),
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """500 jobs of a week, of which 20 lose much."""
    folder = tmp_path_factory.mktemp("site")
    draw = random.Random(1)
    bad = {}
    for number in range(500):
        began = NOW - 8 * 86_400 + 7 * 86_400 * draw.random()
        name, make, cause = _BAD[number % len(_BAD)] if number % 25 == 0 else ("fine", None, "")
        if make:
            bad[str(number)] = cause
        ranks = make() if make else even(8, waiting=0.2 * draw.random())
        put(folder, number, ranks, began=began, program=f"/home/x/{name}", hosts=("n1", "n2"))
    return folder, bad


def test_the_20_bad_ones_of_500_are_among_the_first_25(site):
    folder, bad = site
    found = json.loads(answer(folder, "--json", "--limit", 25))
    listed = {job["job"]: job for job in found["jobs"]}
    assert len(bad) == 20 and set(bad) <= set(listed)
    assert all(listed[number]["cause"].startswith(cause) for number, cause in bad.items())
    parts = ("computing", "transfer", "waiting", "files", "set_up", "unended")
    for time_ in (found["time"], *(job["time"] for job in listed.values())):
        assert sum(time_[f"{part}_s"] for part in parts) == pytest.approx(time_["seconds"])
    assert found["slower"] == [] and found["late_nodes"] == []


def test_the_screen_has_answer_table_and_commands(site):
    folder, _ = site
    lines = answer(folder).splitlines()
    assert lines[0].startswith("=== leadline jobs: 500 jobs, 11 core hours, ")
    text = " ".join(lines)
    assert "in jobs that did not end" in text and "computing" in text and "moving data" in text
    commands = [line for line in lines if "leadline explain " in line]
    assert len(commands) == 10 and all(str(folder) in line for line in commands)
    assert max(len(line) for line in lines if line not in commands) <= 80


@pytest.mark.parametrize("by", ["user", "program", "node", "week"])
def test_jobs_are_added_up(site, by):
    folder, _ = site
    found = json.loads(answer(folder, "--json"))
    groups = found["groups"][by]
    assert sum(group["time"]["seconds"] for group in groups) == pytest.approx(
        found["time"]["seconds"]
    )
    lines = answer(folder, "--by", by).splitlines()
    assert max(map(len, lines)) <= 80 and any(line.startswith(by) for line in lines)


def test_programs_of_one_name_are_told_apart(tmp_path):
    for number, program in enumerate(("/a/run", "/b/run", "/b/solve")):
        put(tmp_path, number, late(), began=NOW - 9000, program=program)
    words = {line.split(" ")[0] for line in answer(tmp_path, "--by", "program").splitlines()}
    assert {"/a/run", "/b/run", "solve"} <= words


def test_a_late_node_has_its_column(site):
    folder, bad = site
    (node,) = (g for g in json.loads(answer(folder, "--json"))["groups"]["node"] if g["late"])
    assert (node["name"], node["late"]) == ("n2", sum("n2" in cause for cause in bad.values()))


def test_jobs_are_chosen_by_time_user_program_and_node(tmp_path):
    folder = tmp_path
    for number in range(28):
        began = NOW - (8 - number / 4) * 86_400
        program = "/home/x/hung" if number < 3 else "/home/x/fine"
        put(folder, number, even(), began=began, program=program, hosts=("n1",))

    def number(*words):
        return len(json.loads(answer(folder, "--json", *words))["jobs"])

    assert number("--program", "hung") == number("--program", "/home/x/hung") == 3
    assert number("--node", "n1") == number("--user", ME) == 28
    half = datetime.fromtimestamp(NOW - 4.5 * 86_400).isoformat()
    assert 0 < number("--since", half) < 28
    assert number("--since", half) + number("--until", half) == 28
    assert number("--since", "30d") == 28
    assert "did you mean hung?" in refusal(folder, "--program", "hang")
    assert "no job of user nobody-here" in refusal(folder, "--user", "nobody-here")
    assert "no file of a job of that time" in refusal(folder, "--until", "2001-01-01")
    assert "write 2026-11-21, or 7d" in refusal(folder, "--since", "tuesday")


def test_a_mail_has_some_ten_lines_of_80_columns(site):
    folder, _ = site
    text = answer(folder, "--mail", ME)
    lines = text.splitlines()
    # A path is one word, however long it is.
    assert 5 <= len(lines) <= 14
    assert max(len(line) for line in lines if not line.startswith("        /")) <= 80
    assert lines[0].startswith("Your MPI jobs, ") and lines[-1] == "    export LEADLINE_EXPLAIN=off"
    assert not any(line.lstrip().startswith("%") for line in lines)
    joined = " ".join(text.replace("\\\n", "").split())
    assert (
        "Most was lost in " in joined and " core hours. Did not end: 8 ranks in MPI_Recv" in joined
    )
    assert joined.count("leadline explain /") == 2
    assert "--mail USER is" in refusal(folder, "--mail", ME, "--json")


def test_a_command_in_a_mail_is_joined_by_the_shell(tmp_path):
    folder = tmp_path / ("a long name of it's own " * 3)
    put(folder, 1, late(), began=NOW - 9000)
    lines = answer(folder, "--mail", ME).splitlines()
    at = lines.index("    leadline explain \\")
    assert shlex.split("\n".join(lines[at : at + 2]))[-1] == str(next(folder.rglob("*.job")))


def test_a_job_that_calls_nothing_runs_where_slurm_says_so(tmp_path, slurm):
    for number in ("7", "8", "9", ""):
        put(tmp_path, number, even(state=RUNNING), began=NOW - 9000)

    def states():
        return {job["job"]: job["state"] for job in json.loads(answer(tmp_path, "--json"))["jobs"]}

    asked = slurm(("7", ME, "RUNNING"), ("8", ME, "PENDING"), ("9", "other", "RUNNING"))
    assert states() == {**dict.fromkeys(("8", "9", ""), "unended"), "7": "running"}
    assert asked == ["squeue"]
    assert "1 job may still run" in " ".join(answer(tmp_path).split())
    slurm(("7", ME, "RUNNING"), status=1)
    assert set(states().values()) == {"unended"}


def test_no_scheduler_is_asked_without_need(tmp_path, slurm):
    asked = slurm()
    put(tmp_path, 1, even(), began=NOW - 9000)
    put(tmp_path, 2, even(state=RUNNING), began=NOW - 9000, job="", step="")
    answer(tmp_path)
    assert not asked


def test_prometheus_reads_what_was_lost(site, tmp_path):
    folder, _ = site
    file = tmp_path / "jobs.prom"
    answer(folder, "--prometheus", file)
    lines = file.read_text().splitlines()
    assert 'leadline_jobs{state="unended"} 3.0' in lines
    of_user = f'leadline_jobs_user_core_seconds{{user="{ME}"}} '
    assert any(line.startswith(of_user) for line in lines)
    assert any(line.startswith('leadline_jobs_lost_core_seconds{to="files"}') for line in lines)


def test_a_slower_program_and_a_late_node_are_named(tmp_path):
    put_findings(tmp_path)
    lines = answer(tmp_path).splitlines()
    text = " ".join(" ".join(lines).split())
    assert f"wave of {ME} on 8 ranks is 1.6x slower per MPI call since" in text
    assert "10 jobs, 20 before" in text
    assert "Node n5 is late in" in text and "cg, heat" in text
    mail = " ".join(answer(tmp_path, "--mail", ME, "--since", "32d").replace("\\\n", "").split())
    assert "Your wave on 8 ranks is 1.6x slower per MPI call since" in mail
    assert mail.count("leadline explain --diff /") == 1 and mail.count("leadline explain ") == 2
    said = re.findall(r"(?:wave of|Node n5) .*?\.(?= +leadline explain)", text)
    assert [list(faults(each)) for each in said] == [[], []]
    assert sum("leadline explain --diff " in line for line in lines) == 1
    found = json.loads(answer(tmp_path, "--json", "--since", "15d"))
    assert [each["ratio"] for each in found["slower"]] == [pytest.approx(1.6, rel=0.05)]


def test_what_cannot_be_believed_is_left_out_and_said_once(tmp_path):
    day = tmp_path / "2026" / "11" / "30"
    write_job(day / "a.job", even())
    write_job(day / "b.job", even(), uid=os.geteuid() + 1)
    (day / "c\x1b[31m\nx.job").write_text("leadline-job 1\nend\n")
    (day / "d.job").symlink_to(day / "a.job")
    (day / "e.job").hardlink_to(day / "a.job")
    os.mkfifo(day / "f.job")
    write_job(day / os.fsdecode(b"g\xff.job"), even())
    (tmp_path / "2026" / "12").symlink_to(tmp_path / "2026" / "11")
    text = answer(tmp_path)
    assert "1 job, " in text and "\x1b" not in text
    assert "5 files left out." in text
    assert json.loads(answer(tmp_path, "--json"))["refused"]["files"] == 5


def test_a_file_of_an_ended_job_is_read_once(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "jobs"
    for number in range(60):
        put(folder, number, even(), began=NOW - 9000 - number)
    # It runs now, however long the tests before took.
    put(folder, 60, even(state=RUNNING), began=time.time() - 100, written=time.time())
    first = answer(folder, "--json")
    read = []
    real = jobs_folder.read_job
    monkeypatch.setattr(jobs_folder, "read_job", lambda file: read.append(file) or real(file))
    assert json.loads(answer(folder, "--json")) == json.loads(first)
    assert len(read) == 1 and "-60-" in read[0]
    files = sorted(folder.rglob("*.job"))
    files[0].unlink()
    changed = write_job(files[1], late(4), began=NOW - 9000)
    found = json.loads(answer(folder, "--json"))
    assert len(found["jobs"]) == 60 and found["jobs"][0]["path"] == str(changed)
    (kept,) = (tmp_path / "home" / "jobs").iterdir()
    kept.write_bytes(b"damaged")
    assert json.loads(answer(folder, "--json")) == found


def test_names_never_reach_the_terminal_raw(tmp_path):
    evil = "\x1b]0;owned\x07\x1b[2J\u202e\r\nroot"
    write_job(
        tmp_path / "a.job", late(2, late=(1,), nodes=2), program=f"/x/{evil}", job=evil, step=evil,
        hosts=("n1", evil), place=evil, library=evil,
    )  # fmt: skip
    hung = [rank(each, state=RUNNING, inside=("MPI_Recv", 9.0)) for each in range(2)]
    write_job(
        tmp_path / "b.job", hung, written=NOW - 9000, began=NOW - 9999, place=evil, hosts=[evil]
    )
    ways = ((), *(("--by", by) for by in ("user", "program", "node", "week")), ("--mail", ME))
    for words in ways:
        text = answer(tmp_path, *words)
        assert not {"\x1b", "\x07", "\r", "\u202e"} & set(text), words
    for name in ("a.job", "b.job"):
        shown = CliRunner().invoke(group, ["explain", "--full", str(tmp_path / name)])
        assert shown.exit_code == 0 and not {"\x1b", "\x07", "\r", "\u202e"} & set(shown.output)


def test_a_refusal_on_the_terminal_is_a_clean_line(tmp_path, capsys):
    (tmp_path / "x\x1b[31m.job").write_text("leadline-job 9\n")
    with pytest.raises(SystemExit) as ended:
        main(["explain", str(tmp_path / "x\x1b[31m.job")])
    err = capsys.readouterr().err
    assert ended.value.code == 2 and "\x1b" not in err and err.count("\n") == 1


def test_folders_without_jobs_are_refused_in_a_line(tmp_path):
    assert "there is no such folder" in refusal(tmp_path / "none")
    assert "holds no file of a job" in refusal(tmp_path)
    (tmp_path / "solver.c").write_text("int main;")
    (tmp_path / "readme.job").write_text("hello")
    assert "readme.job: line 1: no file of a job" in refusal(tmp_path)
    assert "is a file: `leadline explain" in refusal(tmp_path / "solver.c")


def test_a_folder_is_prepared_for_400_days(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs_folder, "_DAYS", 40)
    folder = tmp_path / "jobs"
    first, last = prepare(folder, date(2026, 12, 20))
    assert (first, last) == (date(2026, 12, 20), date(2027, 1, 29))
    for made in (folder, folder / "2026", folder / "2026/12/31", folder / "2027/01/29"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o3773
    assert not (folder / "2026/12/19").exists()
    assert "ready for 41 days" in answer(folder, "--prepare")


def test_no_other_folder_is_opened_to_all(tmp_path):
    (tmp_path / "thesis.tex").touch()
    mode = tmp_path.stat().st_mode
    assert "has other files, such as thesis.tex" in refusal(tmp_path, "--prepare")
    assert tmp_path.stat().st_mode == mode
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "2026").symlink_to(tmp_path)
    with pytest.raises(UserError, match="its owner prepares a folder"):
        prepare(tmp_path / "jobs", date(2026, 12, 20))
    assert not (tmp_path / "12").exists() and tmp_path.stat().st_mode == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes folders for another user")
def test_root_makes_the_folders_for_the_owner(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs_folder, "_DAYS", 1)
    folder = tmp_path / "jobs"
    (folder / "2026").mkdir(parents=True)
    os.chown(folder, 12345, 12346)
    prepare(folder, date(2026, 12, 20))
    for made in (folder, folder / "2026", folder / "2026/12", folder / "2026/12/20"):
        status = made.stat()
        assert (status.st_uid, status.st_gid) == (12345, 12346)
        assert stat.S_IMODE(status.st_mode) == 0o3773


@pytest.mark.parametrize("option", [[], ["--full"], ["--json"]])
def test_explain_shows_a_job_and_two(tmp_path, option):
    paths = [str(write_job(tmp_path / f"{name}.job", late(4, by=by))) for name, by in
             (("a", 1.0), ("b", 3.0))]  # fmt: skip
    found = CliRunner().invoke(group, ["explain", *option, paths[0]])
    assert found.exit_code == 0 and "computing" in found.output
    found = CliRunner().invoke(group, ["explain", *option, "--diff", *paths])
    assert found.exit_code == 0 and "MPI_Allreduce" in found.output
    talp = tmp_path / "talp.json"
    found = CliRunner().invoke(group, ["explain", *option, "--talp", str(talp), paths[0]])
    assert found.exit_code == 0 and json.loads(talp.read_text())["Application"]
    found = CliRunner().invoke(group, ["explain", *option, "--talp", "t", paths[0], "--full"])
    typed = " ".join(["leadline explain", *option, "--talp t --full", paths[0]])
    assert str(found.exception) == f"options stand before the run: {typed}"
    found = CliRunner().invoke(group, ["explain", "--replay", paths[0]])
    assert "only the calls of a job that took longest" in str(found.exception)
