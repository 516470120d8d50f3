"""Software as people read it."""

from leadline.model.software import Item, Software
from leadline.output.terminal.software import compared_line, defaults, items, mpi_lines
from leadline.output.terminal.table import lines


def software(*found, **more):
    kinds = tuple(dict.fromkeys(item.kind for item in found))
    return Software(leadline="1", host="h", time="t", kinds=kinds, items=found, **more)


def test_versions_of_a_module_share_a_row_and_files_do_not():
    table = items(
        software(
            Item(kind="compiler", name="gcc", version="11", path="/a/gcc"),
            Item(kind="compiler", name="gcc", version="12", path="/b/gcc"),
            Item(kind="module", name="mpi", version="4", default_for={"mpi": "avail"}),
            Item(kind="module", name="mpi", version="5", detail={"loaded": "yes"}),
            Item(kind="module", name="plain"),
        )
    )
    assert [row.cells for row in table.rows] == [
        ("compiler", "gcc", "11", "/a/gcc"),
        ("", "gcc", "12", "/b/gcc"),
        ("module", "mpi", "4 (default), 5 (loaded)", ""),
        ("", "plain", "", ""),
    ]


def test_a_default_that_says_nothing_is_left_out():
    plain = Item(kind="tool", name="CMake", version="3", path="/usr/bin/cmake",
                 default_for={"cmake": "PATH"})  # fmt: skip
    assert not defaults(software(plain)).rows
    second = Item(kind="tool", name="CMake", version="4", path="/opt/cmake")
    (row,) = defaults(software(plain, second)).rows
    assert row.cells == ("cmake", "CMake 3", "PATH")


def test_an_mpi_of_another_build_stands_out():
    detail = {"called": "mpich-5", "built with": "mpich-4", "same": "no",
              "because": "its RPATH leads there", "asked by": "/home/me/app"}  # fmt: skip
    mpi = Item(kind="MPI", name="mpich", version="5", path="/l/libmpi.so.12", detail=detail)
    assert list(mpi_lines(software(mpi))) == [
        "MPI: mpich-5, /l/libmpi.so.12",
        "     NOT the one that app was built with, mpich-4: its RPATH leads there",
    ]


def test_names_cannot_move_the_cursor():
    table = items(software(Item(kind="module", name="a\x1b[31mb")))
    assert "a[31mb" in lines(table)[2]


def test_what_was_compared_is_told():
    one, two = software(Item(kind="compiler", name="gcc")), software(of="process 3, /bin/a")
    line = compared_line(one, two, 0)
    assert line == "no difference in nothing: base is h at t, other is process 3, /bin/a on h at t"
