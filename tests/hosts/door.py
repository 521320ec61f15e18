# SPDX-License-Identifier: Apache-2.0
"""Runs programs on a test host, as ssh and sshd do: `door.py SOCKET PROGRAM…` asks the door-keeper behind the socket.

The program is a child of the door-keeper. It has the asker's standard input, output and error, and lives on when the
asker is killed: that its input ends is all it hears. The asker ends with the program's exit status.
"""

import array
import contextlib
import os
import signal
import socket
import sys


def serve(path):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # one child per request, which nobody waits for
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
    files = array.array("i")
    files.frombytes(passed[0][2])
    directory, *words = request.decode().split("\0")
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
    with contextlib.suppress(BrokenPipeError):  # nobody asks any more
        connection.send(bytes([os.waitstatus_to_exitcode(status) & 0xFF]))
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
    # The door-keeper has them now. Held here as well, they would stay open with us.
    answer = connection.recv(1)
    return answer[0] if answer else 255


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    sys.exit(ask(sys.argv[1], sys.argv[2:]))
