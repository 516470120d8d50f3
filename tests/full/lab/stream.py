"""stream.py receive | send ADDRESS SECONDS: a TCP stream, and the rate at which it arrives.

The receiver prints the 10^6 bits of payload a second between its first byte and its last.
"""

import socket
import sys
import time

PORT = 5201
CHUNK = 1 << 18


def receive():
    with socket.create_server(("", PORT)) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    with connection:
        received = len(connection.recv(CHUNK))
        begin = time.monotonic()
        while data := connection.recv(CHUNK):
            received += len(data)
        print(8e-6 * received / (time.monotonic() - begin))


def send(address, seconds):
    with socket.create_connection((address, PORT), timeout=10) as connection:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            connection.sendall(bytes(CHUNK))


if sys.argv[1] == "receive":
    receive()
else:
    send(sys.argv[2], float(sys.argv[3]))
