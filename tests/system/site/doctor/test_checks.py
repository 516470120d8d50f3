"""Every check on a machine without /proc and /sys."""

from leadline.site.doctor import examine
from leadline.site.doctor.system import System


def test_a_machine_without_proc_and_sys_gives_no_traceback(tmp_path):
    from leadline.site.hardware.files import Files

    results = examine(System(files=Files(tmp_path)))
    failed = [result for result in results if "check failed" in result.observed]
    assert failed
    assert {result.status for result in failed} == {"unknown"}
    assert any("/proc/stat cannot be read" in result.observed for result in failed)
