"""CMake is run in a folder's own path, however it is reached."""

import os

from leadline.measure.build import cmake

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
file(WRITE ${CMAKE_BINARY_DIR}/where ${CMAKE_BINARY_DIR})
add_custom_target(all_of_it ALL COMMAND ${CMAKE_COMMAND} -E touch made)
"""


def test_a_link_to_the_folder_is_followed(tmp_path):
    source, there, link = (tmp_path / name for name in ("source", "there", "link"))
    source.mkdir()
    there.mkdir()
    link.symlink_to(there)
    (source / "CMakeLists.txt").write_text(PROJECT)

    cmake.build("it", source, link / "built", tmp_path / "log", (), dict(os.environ))

    assert (there / "built" / "made").exists()
    assert (there / "built" / "where").read_text() == str((there / "built").resolve())
