# SPDX-License-Identifier: Apache-2.0
"""Runs programs on a test host, as ssh and sshd do: `host_server.py SOCKET PROGRAM…` asks the server of that socket.

The program is a child of the host server. It has the asker's standard output and error, and its standard input by way
of a pipe. It lives on when the asker is killed, and its input ends then. The asker ends with the program's exit status.
"""

import array
import contextlib
import os
import select
import signal
import socket
import sys


def serve(path):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # one child per request, which is not waited for
    socket.sethostname(os.path.basename(path))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".new")
    listener.listen(64)
    os.rename(path + ".new", path)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            handle(connection)
        connection.close()


def handle(connection):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    space = socket.CMSG_SPACE(3 * array.array("i").itemsize)
    request, passed, _, _ = connection.recvmsg(1 << 20, space)
    if not passed:
        os._exit(0)  # the client has ended before it sent its request
    files = array.array("i")
    files.frombytes(passed[0][2])
    directory, *words = request.decode().split("\0")
    files[0] = start_pump(connection, *files)
    program = os.fork()
    if program == 0:
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        connection.close()
        os.setsid()
        os.chdir(directory)
        try:
            os.execvp(words[0], words)
        except OSError as error:
            os.write(2, f"{words[0]}: {error.strerror}\n".encode())
            os._exit(127)
    for file in files:
        os.close(file)
    _, status = os.waitpid(program, 0)
    with contextlib.suppress(BrokenPipeError):  # the client has closed the connection
        connection.send(bytes([os.waitstatus_to_exitcode(status) & 0xFF]))
    os._exit(0)


def start_pump(connection, source, *outputs):
    """The reading end of a pipe that a process of its own fills from `source`, until that or the asker has ended."""
    reading, writing = os.pipe()
    if os.fork() != 0:
        os.close(writing)
        os.close(source)
        return reading
    for file in (reading, *outputs):
        os.close(file)
    data = b"?"
    while data:
        ready, _, _ = select.select([source, connection], [], [])
        if source not in ready:
            break  # the asker says nothing more: its end of the connection was closed
        data = os.read(source, 65536)
        with contextlib.suppress(BrokenPipeError):  # the program does not read
            os.write(writing, data)
    os._exit(0)


def ask(path, words):
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError as error:
        sys.stderr.write(f"{path}: {error.strerror}: no such host\n")
        return 255
    request = "\0".join(["/", *words]).encode()
    connection.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    # The host server has them now. Held here as well, they would stay open with us.
    answer = connection.recv(1)
    return answer[0] if answer else 255


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    sys.exit(ask(sys.argv[1], sys.argv[2:]))
