"""The manual page of an MPI: what stands in it, and that no text of others is a request of roff."""

from tests.unit.measure.knobs.test_known import OPENMPI4

from leadline.model.software import Setting
from leadline.output.manual import manual_page


def control(name, **fields):
    return Setting(name=name, kind="control", variable=f"OMPI_MCA_{name}", **fields)


def page(*settings):
    return manual_page(OPENMPI4, settings, "2030-01-01", "1.2")


def entry(text, name):
    """Return the lines below the variable of that name."""
    _, _, after = text.partition(f"\n.B {name}\n")
    assert after, text
    return after.split("\n.TP\n")[0].split("\n.S")[0].splitlines()


def test_a_variable_has_its_default_its_value_and_where_that_is_from():
    text = page(
        control(
            "btl_tcp_eager_limit",
            description="Largest message sent at once.",
            type="size_t",
            scope="all",
            verbosity="user basic",
            default="65536",
            value="16512",
            source="file /etc/openmpi.conf",
            categories=("opal_btl_tcp",),
        ),
        control("pml", default="", value=""),
        control("x", choices=("on", "off")),
    )
    assert entry(text, "OMPI_MCA_btl_tcp_eager_limit") == [
        "Largest message sent at once.",
        ".br",
        "default: 65536",
        ".br",
        "now: 16512, from file /etc/openmpi.conf",
        ".br",
        "size_t, scope all, user basic",
        ".br",
        "called btl_tcp_eager_limit by MPI_T",
    ]
    assert "default: empty" in entry(text, "OMPI_MCA_pml")
    assert "default: the library\\(aqs own, which it does not tell" in entry(text, "OMPI_MCA_x")
    assert "one of: on, off" in entry(text, "OMPI_MCA_x")


def test_a_hint_has_its_own_name_and_the_variable_beside():
    variable = "OMPI_MCA_io_ompio_num_aggregators"
    text = page(
        Setting(name="cb_nodes", kind="hint", description="ranks", variable=variable),
        Setting(name="cb_x", kind="hint", description="other", lacking="OMPIO does not read it"),
    )
    assert ".SH HINTS OF MPI-IO" in text.replace("\\", "")
    assert "set for every file by" in " ".join(entry(text, "cb_nodes"))
    assert entry(text, "cb_x") == ["other", ".br", "not here: OMPIO does not read it"]


def test_variables_are_grouped_by_component_and_the_others_come_last():
    text = page(
        control("b", categories=("late",)),
        control("nobody"),
        control("a", categories=("early",)),
        Setting(name="waits", kind="counter", categories=("early",)),
    )
    sections = [line for line in text.splitlines() if line.startswith((".SS", ".SH", ".B"))]
    assert sections == [
        ".SH NAME", ".SH DESCRIPTION", ".SH CONTROL VARIABLES",
        ".SS early", ".B OMPI_MCA_a", ".SS late", ".B OMPI_MCA_b",
        ".SS other", ".B OMPI_MCA_nobody",
        ".SH PERFORMANCE VARIABLES", ".SS early", ".B waits", ".SH SEE ALSO",
    ]  # fmt: skip


def test_a_knob_names_its_variables_and_they_name_it():
    knob = Setting(
        name="eager_limit",
        kind="knob",
        description="the largest message that is sent at once",
        values="a size, such as 16K",
        example="16K",
        sets={"OMPI_MCA_btl_tcp_eager_limit": "16512"},
    )
    text = page(knob, control("btl_tcp_eager_limit"))
    assert r"16K is here: OMPI_\:MCA_\:btl_\:tcp_\:eager_\:limit=\:16512" in entry(
        text, "eager_limit"
    )
    assert "knob: eager_limit=16K" in entry(text, "OMPI_MCA_btl_tcp_eager_limit")


def test_no_text_of_others_is_a_request():
    hostile = ".so /etc/passwd 'quoted' \\n(xx `a` ^ ~ - \x1b[31m ü " + "a=b:" * 30
    text = page(control("evil", description=hostile, categories=('x" "y',)))
    lines = entry(text, "OMPI_MCA_evil")
    assert lines[0].startswith(r"\&.so /etc/passwd \(aqquoted\(aq \en(xx \(gaa\(ga \(ha \(ti \- ")
    assert r"\[u00FC]" in "".join(lines)
    assert text.isascii()
    assert "\x1b" not in text
    assert ".SS x\\(dq \\(dqy\n" in text
