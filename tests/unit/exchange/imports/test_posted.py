"""Outputs in the shapes in which people post them: commands, warnings, prefixes, two runs."""

import json
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files

TITLE = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n"
TIMES = {1: "1.91", 8: "1.95", 64: "2.20", 1024: "3.41"}


def table(factor=1.0):
    rows = "".join(f"{size:<10}{float(time) * factor:>18.2f}\n" for size, time in TIMES.items())
    return TITLE + rows


@pytest.fixture
def read(tmp_path):
    """Import texts, each as a file."""

    def make(*texts, **options):
        paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return import_files(paths, **options)

    return make


def sizes(run):
    return [one.bytes for one in run.imported.figures]


def remarks(run, kind):
    return [one.text for one in run.imported.remarks if one.kind == kind]


@pytest.mark.parametrize(
    "text",
    [
        table().replace("# Size", "# Window size: 64, host to host\n#\n# Size"),
        table().replace("(us)\n", "(us)\n  Warning: a buffer of the host is used\n"),
        table().replace("v7.3", "v7.3-site2").replace("MPI Latency", "MPI-XYZ Latency"),
        table().replace(".", ",").replace("v7,3", "v7.3"),
        table().removesuffix("\n"),
        "".join(f"[1,0]<stdout>:{line}\n" for line in table().splitlines()),
        "".join(f"0: {line}\n" for line in table().splitlines()),
        table().replace("64 ", "[n1:0] NCCL INFO comm 0x5 rank 0 nranks 2 busId 1000\n64 "),
    ],
)
def test_what_a_person_reads_at_once_is_read(read, text):
    run = read(text)
    assert sizes(run) == list(TIMES)
    assert [one.median_s * 1e6 for one in run.imported.figures] == pytest.approx(
        [float(time) for time in TIMES.values()]
    )
    assert run.outcome.state == "complete"


def test_thousands_are_no_decimals(read):
    with pytest.raises(UserError, match="no figure of OSU"):
        read(TITLE + "1   1,910\n8   1,950\n")


def test_a_last_row_that_lost_digits_is_not_read(read):
    run = read(table().removesuffix("1\n"))
    assert sizes(run) == [1, 8, 64]
    assert run.outcome.state == "incomplete"


def test_a_run_that_died_says_so(read):
    last = "slurmstepd: error: *** STEP 12.0 ON n1 CANCELLED AT 2026-02-03 DUE TO TIME LIMIT ***\n"
    run = read(table() + last)
    assert sizes(run) == list(TIMES)
    assert run.outcome.state == "incomplete"
    (lost,) = remarks(run, "lost")
    assert "cancelled: time limit" in lost
    assert remarks(run, "passed") == []


def test_lines_of_other_programs_are_named_and_wrong_data_marked(read):
    head = "# OSU MPI All-to-All Personalized Exchange Latency Test v7.5\n# Datatype: MPI_CHAR.\n"
    rows = "1  9.80  Pass\nsrun: step #2 has started\n  another program was here\n2  9.85  Fail\n"
    run = read(head + "# Size  Avg Latency(us)  Validation\n" + rows)
    assert [one.verified for one in run.imported.figures] == [True, False]
    assert remarks(run, "passed") == ["'srun: step #2 has started'", "'another program was here'"]


def test_one_command_twice_is_two_launches(read):
    command = "$ srun -n 2 osu_latency\n"
    run = read(command + table() + f"Job 17, Tue Feb  3 04:05:06 2026\n{command}" + table(1.1))
    assert {one.launches for one in run.imported.figures} == {2}, "jobs and times differ always"
    run = read(command + table() + command + table(1.1))
    assert {one.launches for one in run.imported.figures} == {2}
    assert remarks(run, "passed") == []


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("pair: n1 n2", "pair: n1 n3", ["pair: n1 n2", "pair: n1 n3"]),
        ("Job on 2 nodes", "Job on 8 nodes", ["Job on 2 nodes", "Job on 8 nodes"]),
        (
            "-host 10.0.0.1:16,a",
            "-host 10.0.0.1:32,a",
            ["-host 10.0.0.1:16,a", "-host 10.0.0.1:32,a"],
        ),
        (
            "Tue Feb 15 15:59:02 2022 mpirun -np 16 osu_latency -m 4096",
            "Tue Feb 15 15:59:02 2022 mpirun -np 64 osu_latency -m 4096",
            ["mpirun -np 16 osu_latency -m 4096", "mpirun -np 64 osu_latency -m 4096"],
        ),
        (
            "+ mpirun -np 2 a\n\n---------\nWARNING: no device\n---------\n",
            "+ mpirun -np 4 a\n\n---------\nWARNING: no device\n---------\n",
            ["+ mpirun -np 2 a WARNING: no device", "+ mpirun -np 4 a WARNING: no device"],
        ),
        (
            "$ module load openmpi/5.0 && srun -n 2 osu_latency",
            "$ module load mpich/4.2 && srun -n 2 osu_latency",
            ["openmpi/5.0", "mpich/4.2"],
        ),
    ],
)
def test_two_commands_are_two_figures(read, one, other, names):
    texts = (f"{one}\n{table()}", f"{other}\n{table(9)}")
    for run in (read("".join(texts)), read(*texts)):
        assert {figure.launches for figure in run.imported.figures} == {1}
        assert [figure.axes["output"] for figure in run.imported.figures[:2]] == names
        (benchmark,) = run.benchmarks
        assert [axis.choices for axis in benchmark.axes if axis.name == "output"] == [tuple(names)]
        assert any("--mpi NAME" in text for text in remarks(run, "assumed"))


def test_a_command_above_one_table_alone_tells_nothing(read):
    told = "$ srun -n 2 osu_latency\n" + table()
    for texts in ((told + "\n\n" + table(9),), (told, table(9))):
        with pytest.raises(UserError, match="nothing above the latter tells"):
            read(*texts)
        assert {one.launches for one in read(*texts, same="launches").imported.figures} == {2}
    with pytest.raises(UserError, match="named twice"):
        import_files([Path(__file__)] * 2)


def test_what_nothing_tells_is_asked_for(read):
    text = table() + "\n" + table(1.2)
    with pytest.raises(UserError, match=r"lines 1 and 8.*--as-launches.*--split"):
        read(text)
    assert {one.launches for one in read(text, same="launches").imported.figures} == {2}
    apart = read(text, same="split").imported.figures
    assert [one.axes["output"] for one in apart[:2]] == ["line 1", "line 8"]
    assert {one.launches for one in read(table(), table(1.2)).imported.figures} == {2}


IMB = """\
#    Intel(R) MPI Benchmarks 2021.7, MPI-{part} part
# Date                  : Tue Feb  3 04:05:06 2026
# Benchmarking Accumulate
# #processes = 2
#    MODE: AGGREGATE
       #bytes #repetitions  t[usec]      defects
            4         1000         0.61         0.00
            8         1000         0.62         8.00

# Benchmarking Truly_passive_put
# #processes = 2
 int error_code : 1, is over the tolerance
       #bytes #repetitions  t[usec]
            8         1000         1.10
"""


@pytest.mark.parametrize(("part", "name"), [("RMA", "accumulate"), ("EXT", "ext_accumulate")])
def test_errors_of_imb_are_data_that_came_wrong(read, part, name):
    found = [(one.benchmark, one.verified) for one in read(IMB.format(part=part)).imported.figures]
    assert found == [
        (f"imb/{name}", True),
        (f"imb/{name}", False),
        ("imb/truly_passive_put", False),
    ]


NCCL = """\
# nThread 1 nGpus 2 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 5 iters: 20
#
#                                              out-of-place                in-place
#       size   count   type   redop    root   time   algbw   busbw #wrong  time  algbw  busbw #wrong
#        (B)    (elements)                    (us)  (GB/s)  (GB/s)         (us) (GB/s) (GB/s)
           8       2   float     {op}    -1  11.20   0.00    0.00      0  11.05   0.00   0.00    0
node7:4711:4711 [0] NCCL INFO Channel 00 is ready
           8       2   float     {op}    -1  11.18   0.00    0.00      0  11.02   0.00   0.00    0
          64      16   float     {op}    -1  11.44   0.01    0.01      3  11.20   0.01   0.01  N/A
"""


@pytest.mark.parametrize("operation", ["sum", ""])
def test_rows_of_nccl_go_on_after_a_foreign_line(read, operation):
    run = read(NCCL.format(op=operation))
    found = {(one.bytes, one.axes["buffers"]): one for one in run.imported.figures}
    assert len(found) == 4
    twice = found[8, "separate"]
    assert (twice.median_s, twice.samples, twice.launches) == (pytest.approx(11.19e-6), 2, 1)
    assert [found[64, one].verified for one in ("separate", "in_place")] == [False, True]
    assert twice.axes["redop"] == (operation or "none")
    assert remarks(run, "passed") == ["'node7:4711:4711 [0] NCCL INFO Channel 00 is ready'"]


def nccl_json(**changed):
    half = {"time": 11.2, "alg_bw": 0.5, "bus_bw": 0.75, "nwrong": 0.0}
    row = {"size": 64, "count": 16, "type": "float", "redop": "sum", "root": "-1"}
    devices = [{"rank": n, "hostname": f"n{n // 2}", "device": n % 2} for n in range(4)]
    whole = {
        "version": 3,
        "start_time": "2026-02-03 04:05:06",
        "args": ["./build/all_reduce_perf", "-J"],
        "nccl_version": 22807,
        "config": {"nthreads": 1, "ngpus": 2, "devices": devices},
        "results": [
            {**row, "out_of_place": half, "in_place": {**half, "nwrong": 2.0}},
            {**row, "size": 128, "out_of_place": None, "in_place": {**half, "nwrong": None}},
        ],
    }
    return json.dumps({**whole, **changed}, separators=(",", ":"))


def test_json_of_nccl(read):
    run = read(nccl_json())
    found = [(one.bytes, one.axes["buffers"], one.verified) for one in run.imported.figures]
    assert found == [(64, "separate", True), (64, "in_place", False), (128, "in_place", True)]
    first = run.imported.figures[0]
    assert (first.benchmark, first.median_s, first.processes, first.nodes) == (
        "nccl/all_reduce",
        pytest.approx(11.2e-6),
        4,
        2,
    )
    assert run.imported.when == "2026-02-03T04:05:06"


def test_json_of_nccl_that_was_cut(read):
    text = nccl_json()
    run = read(text[: text.index('"size":128') + 20])
    assert [one.bytes for one in run.imported.figures] == [64, 64]
    assert run.outcome.state == "incomplete"
    assert "with 1 row:" in remarks(run, "lost")[0]
    with pytest.raises(UserError, match="above its results"):
        read(nccl_json(config=7))


def test_the_files_name_what_is_asked_of_them(tmp_path):
    bad = Path(tmp_path / "bad.txt")
    bad.write_text(TITLE + "warning only\n")
    with pytest.raises(UserError, match=r"bad\.txt has no figure of OSU"):
        import_files([bad])


def test_the_last_digit_is_part_of_the_interval(read):
    few = TITLE + "8   0.10\n64  0.20\n1024  3.41\n"
    single = read(few).imported.figures
    assert single[0].interval == pytest.approx((0.095e-6, 0.105e-6))
    assert single[2].interval is None, "half a digit of 3.41 is nothing"
    three = read(few, few, few).imported.figures
    assert three[0].interval == pytest.approx((0.095e-6, 0.105e-6))
    assert (three[0].launches, len(three[0].launch_medians_s)) == (3, 1)
    apart = read(few, few.replace("0.10", "0.90")).imported.figures[0]
    assert apart.interval is None or min(apart.interval) >= 0


def test_a_time_of_zero_is_no_figure(read):
    run = read(TITLE + "1   0.00\n8   0.22\n")
    assert sizes(run) == [8]
    assert remarks(run, "passed") == ["a time of 0 is less than the last digit: '1 0.00'"]
    assert run.outcome.state == "complete"


def test_the_rate_of_launches_is_that_of_their_median(read):
    title = "# OSU MPI Bandwidth Test v7.4\n# Size  Bandwidth (MB/s)\n"
    (figure,) = read(title + "1000  100.00\n", title + "1000  50.00\n").imported.figures
    assert figure.bandwidth_MBps == pytest.approx(1000 / figure.median_s / 1e6)


def test_what_is_run_twice_into_one_file_is_launches(read):
    text = IMB.format(part="RMA").replace("# Date", "# IMB-RMA Accumulate\n# Date")
    ended = "# All processes entering MPI_Finalize\n\n"
    assert {one.launches for one in read((text + ended) * 2).imported.figures} == {2}
    found = read(text, text.replace("# Date", "# Machine  : aarch64\n# Date")).imported.figures
    assert {one.launches for one in found} == {1}
    assert any("aarch64" in one.axes["output"] for one in found)


def test_gpus_of_other_hosts_are_other_figures(read):
    devices = "# Using devices\n#  Rank  0 Pid  {pid} on  {host} device  0 [0x07] {kind}\n#\n"
    texts = [
        NCCL.format(op="sum")
        .replace("nGpus 2", "nGpus 1")
        .replace("#\n", devices.format(pid=pid, host=host, kind="A100") + "#\n", 1)
        for pid, host in ((7, "n1"), (8, "n2"), (9, "n1"))
    ]
    found = read(*texts).imported.figures
    assert {one.launches for one in found} == {1, 2}
    assert {one.launches for one in read(texts[0], texts[2]).imported.figures} == {2}
    assert {one.launches for one in read(nccl_json(), nccl_json()).imported.figures} == {2}


def test_json_of_nccl_in_any_layout_and_more_than_once(read):
    indented = json.dumps(json.loads(nccl_json()), indent=2)
    assert sizes(read(indented)) == [64, 64, 128]
    half = {"time": 0.0, "bus_bw": "nan", "nwrong": None}
    row = {"size": 8, "type": "float", "redop": "sum", "root": "-1", "out_of_place": half}
    run = read(nccl_json() + indented + nccl_json(results=[row]))
    assert {one.launches for one in run.imported.figures} == {2}
    assert len(remarks(run, "lost")) == 1


def test_marks_colours_and_labelled_blanks_do_no_harm(read):
    text = "\ufeff\x1b[1m" + TITLE.replace("\n", "\x1b[0m\n", 1) + "8   1,95\n64  2,20"
    assert sizes(read(text)) == [8, 64]
    labelled = "".join(f"0: {line}".rstrip() + "\n" for line in f"{table()}\n".splitlines())
    run = read(labelled)
    assert sizes(run) == list(TIMES)
    assert run.outcome.state == "complete"


@pytest.mark.parametrize(
    "last",
    [
        "[n1:12345] *** An error occurred in MPI_Recv",
        "Fatal error in PMPI_Recv: Other MPI error",
        "forrtl: error (78): process killed (SIGTERM)",
    ],
)
def test_errors_of_the_program_are_its_death(read, last):
    assert read(f"{table()}{last}\n").outcome.state == "incomplete"
