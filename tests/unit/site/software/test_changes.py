from leadline.analysis.compare.differences import software_changes
from leadline.model.software import Item, Software


def software(*items, kinds=("compiler", "MPI"), **more):
    return Software(leadline="1", host="h", time="t", kinds=kinds, items=items, **more)


def gcc(version, **default):
    return Item(kind="compiler", name="gcc", version=version, default_for=default)


def changes(base, other):
    found = software_changes(base, other)
    return [(each.name, each.change, each.base, each.other) for each in found]


def test_the_same_is_no_difference():
    here = software(gcc("12", cc="PATH"), gcc("11"))
    assert changes(here, software(gcc("11"), gcc("12", cc="a module"))) == []


def test_each_way_to_differ():
    mpich = Item(kind="MPI", name="mpich", version="4")
    openmpi = Item(kind="MPI", name="openmpi", version="5")
    assert changes(software(gcc("12"), mpich), software(gcc("13"), openmpi)) == [
        ("gcc", "other version", "12", "13"),
        ("mpich", "only in base", "4", ""),
        ("openmpi", "only in other", "", "5"),
    ]


def test_one_more_version_is_only_there():
    assert changes(software(gcc("12")), software(gcc("12"), gcc("13"))) == [
        ("gcc", "only in other", "", "13")
    ]


def test_another_default_of_the_same_versions():
    base = software(gcc("12", cc="PATH"), gcc("13"))
    other = software(gcc("12"), gcc("13", cc="PATH"))
    assert changes(base, other) == [("cc", "other default", "gcc 12", "gcc 13")]


def test_a_default_that_goes_with_its_only_version_is_told_once():
    assert changes(software(gcc("12", cc="PATH")), software(gcc("13", cc="PATH"))) == [
        ("gcc", "other version", "12", "13")
    ]


def test_a_default_of_another_kind_of_compiler():
    clang = Item(kind="compiler", name="clang", version="14", default_for={"cc": "PATH"})
    assert ("cc", "other default", "gcc 12", "clang 14") in changes(
        software(gcc("12", cc="PATH")), software(gcc("12"), clang)
    )


def test_what_was_not_looked_for_is_not_missing():
    assert changes(software(gcc("12"), kinds=("compiler",)), software(kinds=("MPI",))) == []


def test_what_a_part_does_not_tell_is_not_missing():
    whole = software(gcc("11"), gcc("12", cc="PATH"), Item(kind="MPI", name="mpich", version="4"))
    part = software(gcc("12"), partial=True)
    assert changes(part, whole) == changes(whole, part) == []
    assert changes(software(gcc("13"), partial=True), whole) == [
        ("gcc", "other version", "13", "11, 12")
    ]
