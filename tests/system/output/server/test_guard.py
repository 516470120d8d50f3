"""Who may ask for what, over real sockets."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from served import Server  # isort: skip

PAGES = (
    "/",
    "/compare",
    "/nights",
    "/jobs",
    "/api/runs",
    "/static/page.css",
    "/nothing",
    "/runs/none",
)


@pytest.mark.parametrize("target", PAGES)
def test_every_answer_has_the_headers_of_safety(server, target):
    _, headers, _ = server.ask(target)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost.evil.example:{port}",
     "127.0.0.1:1", "127.0.0.1.:{port}", "0.0.0.0:{port}", "127.0.0.1:{port}@evil.example", ""],
)  # fmt: skip
def test_another_host_is_refused(server, host):
    status, _, body = server.ask("/", host=host.format(port=server.port) or " ")
    assert status == 403
    assert b"<table" not in body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_the_own_names_are_answered(server, host):
    assert server.ask("/", host=f"{host}:{server.port}")[0] == 200


@pytest.mark.parametrize(
    "brought",
    [{"Authorization": ""}, {"Authorization": "Bearer "}, {"Authorization": "Bearer none"},
     {"Authorization": "Basic {token}"}, {"Authorization": "{token}"},
     {"Authorization": "", "Cookie": "leadline-1={token}"},
     {"Authorization": "", "Cookie": "leadline-{port}=x"}],
)  # fmt: skip
@pytest.mark.parametrize("target", [*PAGES, "/?token=", "/?token=none", "/api/runs?token=none"])
def test_without_the_token_nothing_is_told(server, target, brought):
    brought = {
        name: text.format(token=server.token, port=server.port) for name, text in brought.items()
    }
    status, headers, body = server.ask(target, **brought)
    assert status == 401
    assert "set-cookie" not in headers
    assert body.decode() == (
        "Open the address that `leadline serve` printed: it ends with the token of this server.\n"
        "Programs send the header `Authorization: Bearer TOKEN`.\n"
    )


def test_the_printed_address_gives_a_cookie_and_leaves_no_token_behind(server):
    asked = f"/?words=a%20b&token={server.token}&words=%26"
    status, headers, body = server.ask(asked, Authorization="")
    assert (status, body) == (303, b"")
    assert headers["location"] == f"{server.address}/?words=a+b&words=%26"
    given = headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(given.split("; "))
    cookie = given.split(";")[0]
    assert server.ask("/", Authorization="", Cookie=cookie)[0] == 200


def test_another_server_has_another_token(runs, serving, server):
    other = serving(runs)
    assert other.token != server.token
    assert other.ask("/", Authorization=f"Bearer {server.token}")[0] == 401


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/%0d%0aX:1"])
def test_the_way_in_leads_nowhere_else(server, path):
    _, headers, _ = server.ask(f"{path}?token={server.token}", Authorization="")
    assert headers.get("location", f"{server.address}/").startswith(f"{server.address}/")
    assert "x" not in headers


def test_a_request_without_a_host_is_refused(server):
    assert server.raw(b"GET / HTTP/1.0\r\n\r\n")[0] == 403
    assert server.raw(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")[0] in (400, 403)


def test_two_hosts_are_refused(server):
    own = f"127.0.0.1:{server.port}"
    request = f"GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil\r\nConnection: close\r\n\r\n"
    assert server.raw(request.encode())[0] in (400, 403)


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"]
)
def test_what_is_not_reading_is_refused(server, method):
    status, headers, _ = server.ask("/", method=method)
    assert status in ((400, 405) if method == "CONNECT" else (405,))
    if status == 405:
        assert headers["allow"] == "GET, HEAD"


def test_a_form_is_not_taken(server):
    head = f"POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
    assert server.raw(f"{head}Content-Length: 3\r\n\r\na=b".encode())[0] == 405
    assert server.raw(f"{head}Content-Length: 999999999\r\n\r\n".encode())[0] in (0, 405, 413)


def test_head_is_get_without_a_body(server, names):
    # Not the list of runs, which grows by the grades that are made in the background.
    page = f"/runs/{names[0]}"
    status, headers, body = server.ask(page, method="HEAD")
    assert status == 200
    assert body == b""
    assert int(headers["content-length"]) == len(server.ask(page)[2])


@pytest.mark.parametrize(
    "target", ["http://evil.example/", "http://127.0.0.1/", "https://127.0.0.1/", "*"]
)
def test_an_absolute_target_is_refused(server, target):
    assert server.ask(target)[0] == 400


@pytest.mark.parametrize("folder", ["/static/", "/runs/", "/api/runs/", "/"])
@pytest.mark.parametrize(
    "up",
    ["../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt",
     "..%252fsecret.txt", "..%5csecret.txt", "..\\secret.txt", "%c0%ae%c0%ae/secret.txt",
     "....//secret.txt", ".%00./secret.txt", "%2fetc%2fpasswd", "/etc/passwd",
     "..;/secret.txt", "../../../../../../../../etc/passwd"],
)  # fmt: skip
def test_no_path_leads_out(server, runs, folder, up):
    (runs.parent / "secret.txt").write_text("a secret")
    status, headers, body = server.ask(folder + up)
    assert status == 404
    assert b"a secret" not in body
    assert b"root:" not in body
    assert "location" not in headers


@pytest.mark.parametrize("target", ["/static", "/static/", "/runs", "/runs/", "/static/.", "/.git"])
def test_no_folder_is_listed(server, target):
    assert server.ask(target)[0] == 404


def test_files_of_a_run_are_not_handed_out(server, names):
    for file in ("run.json", "samples.parquet", "launches/000/stdout.txt"):
        assert server.ask(f"/runs/{names[0]}/{file}")[0] == 404


def test_huge_headers_are_refused(server):
    status, _, _ = server.ask("/", X_Long="a" * 100_000)
    assert status in (0, 431)  # it hangs up before all of it is sent
    assert server.ask("/")[0] == 200


def test_a_huge_address_is_refused(server):
    assert server.ask("/?words=" + "a" * 100_000)[0] in (0, 414, 431)


@pytest.mark.parametrize(
    "junk", [b"\r\n\r\n", b"\x00\xff\x00\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
)
def test_junk_does_not_end_the_server(server, junk):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(junk)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65536)
    assert server.ask("/")[0] == 200


def test_other_sites_load_nothing_from_here_but_may_link(server):
    foreign = {"Sec_Fetch_Site": "cross-site"}
    assert server.ask("/api/runs", Sec_Fetch_Mode="no-cors", **foreign)[0] == 403
    assert server.ask("/api/runs", Sec_Fetch_Mode="cors", **foreign)[0] == 403
    assert server.ask("/", Sec_Fetch_Mode="navigate", **foreign)[0] == 200


def test_it_listens_on_this_machine_alone(server):
    import psutil

    listening = [
        one.laddr
        for one in psutil.Process(server.process.pid).net_connections("inet")
        if one.status == psutil.CONN_LISTEN
    ]
    assert {one.port for one in listening} == {server.port}
    assert {one.ip for one in listening} <= {"127.0.0.1", "::1"}


def test_it_answers_on_the_loopback_address_of_ipv6(server):
    try:
        socket.create_connection(("::1", server.port), timeout=5).close()
    except OSError:
        pytest.skip("this machine has no ::1")
    request = f"GET / HTTP/1.1\r\nHost: [::1]:{server.port}\r\nConnection: close\r\n\r\n"
    assert server.raw(request.encode(), host="::1")[0] == 401


def test_it_says_where_it_is_and_ends_when_interrupted(runs, serving):
    server = serving(runs)
    assert server.first_line.startswith(
        f"http://127.0.0.1:{server.port}/?token={server.token} shows the runs in "
    )
    assert "Ctrl-C stops it" in server.first_line
    assert server.ask("/")[0] == 200
    status, printed, errors = server.stop()
    assert status in (0, 130)
    assert errors == ""
    assert printed.strip() == "stopped"


def test_it_opens_the_list_in_the_browser_that_there_is(runs, leadline_home, tmp_path):
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    program.chmod(0o755)
    server = Server(runs, leadline_home, "--open", BROWSER=f"{program} %s")
    try:
        assert server.ask("/")[0] == 200
        for _ in range(100):
            if (tmp_path / "opened").exists() and (tmp_path / "opened").read_text():
                break
            time.sleep(0.1)
        opened = (tmp_path / "opened").read_text().strip()
        way_in = Path(opened.removeprefix("file://"))
        assert server.token not in opened
        assert f'{server.entrance("/")}"' in way_in.read_text()
        assert way_in.parent.stat().st_mode & 0o077 == 0
    finally:
        server.stop()
    assert not way_in.exists()


def test_a_port_that_is_taken_is_one_line(runs):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "leadline", "serve", "--port", str(port)]
        ended = subprocess.run(
            [*command, "--runs", str(runs)], capture_output=True, text=True, check=False
        )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert f"port {port}" in ended.stderr
    assert "--port" in ended.stderr
