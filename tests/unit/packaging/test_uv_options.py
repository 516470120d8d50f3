"""What pip is configured to do, as options of uv."""

import pytest
import uv_options


def test_a_variable_wins_over_a_file_and_a_section_over_the_general_one():
    lines = ["install.index-url='https://i'", ":env:.index-url='https://e'", "global.cert='/c c'"]
    assert uv_options.options(lines) == ["--cert", "/c c", "--index-url", "https://e"]
    assert uv_options.options(lines[:1]) == ["--index-url", "https://i"]


def test_lists_are_split_and_folders_that_are_missing_are_passed_over(tmp_path):
    there = f"global.find-links='\\n{tmp_path} /not/there\\nhttps://links'"
    assert uv_options.options([there, "global.no-index='true'", "download.no-index='no'"]) == [
        "--find-links", str(tmp_path), "--find-links", "https://links", "--no-index",
    ]  # fmt: skip
    newest = ["--index-strategy", "unsafe-best-match"]
    more = uv_options.options(["global.extra-index-url='https://a https://b'"])
    assert more == ["--extra-index-url", "https://a", "--extra-index-url", "https://b", *newest]


def test_what_uv_has_no_option_for_is_refused_and_what_changes_nothing_is_left_out():
    assert uv_options.options(["global.timeout='60'", ":env:.disable-pip-version-check='1'"]) == []
    for name in ("proxy", "constraint", "no-binary"):
        with pytest.raises(ValueError):
            uv_options.options([f"global.{name}='x'"])
