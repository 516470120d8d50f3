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
    # An empty one says that there are no more.
    while (got := link.recvfrom(64))[0]:
        link.sendto(*got)
    sys.exit()
link.settimeout(5)
link.connect((sys.argv[2], PORT))
taken = []
for _ in range(TIMES):
    begin = time.monotonic_ns()
    link.send(b"ping")
    link.recv(64)
    taken.append((time.monotonic_ns() - begin) / 1e3)
link.send(b"")
print(min(taken), statistics.median(taken))
