"""echo.py answer | ask ADDRESS: the shortest and the median round trip of a datagram, in us."""

import socket
import statistics
import sys
import time

PORT = 5202
TIMES = 200

link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "answer":
    link.bind(("", PORT))
    print("ready", flush=True)
    while True:
        link.sendto(*link.recvfrom(64))
link.settimeout(5)
link.connect((sys.argv[2], PORT))
taken = []
for _ in range(TIMES):
    begin = time.monotonic_ns()
    link.send(b"ping")
    link.recv(64)
    taken.append((time.monotonic_ns() - begin) / 1e3)
print(min(taken), statistics.median(taken))
