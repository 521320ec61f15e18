# SPDX-License-Identifier: Apache-2.0
"""Strings of variable length, read by a process of its own first.

HDF5 believes what a file says of their lengths and allocates it: reading a damaged file of 10 KB takes 4 GB, has no
end, or ends the process. Atoll writes no such strings, so its own files are not read twice. This file is also the
program of that process, which imports h5py alone.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence

_ROWS = 1 << 20  # that are read at a time
_LEAST = 512 << 20  # bytes that the process may allocate beside several times the file's size
_TIMES = 8
_SECONDS = 10  # of the processor, and one more for so many bytes: some broken files never end
_BYTES_A_SECOND = 100 << 20
_REFUSED = 3  # exit status: the error's text is on stderr


def try_strings(file: str, data: bytes | None, names: Sequence[str]) -> None:
    """ValueError where datasets of strings cannot be read, in a file or in its content."""
    size = os.path.getsize(file) if data is None else len(data)
    command = [sys.executable, "-I", __file__, str(_LEAST + _TIMES * size), "-" if data is not None else file, *names]
    ran = subprocess.run(command, input=data or b"", capture_output=True, check=False)
    if ran.returncode < 0:
        name = signal.Signals(-ran.returncode).name
        raise ValueError(f"HDF5 ended with {name} in its strings (tried in a process of its own). Is it damaged?")
    if ran.returncode:
        text = ran.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(text[-1] if text else f"its strings cannot be read (exit status {ran.returncode})")


def _limit(more: int) -> None:
    """Limits memory to so many bytes more, processor time to what these explain, and forbids a core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = _SECONDS + more // _BYTES_A_SECOND
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        with open("/proc/self/statm") as stream:
            held = int(stream.read().split()[0]) * resource.getpagesize()
    except OSError:
        return
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = held + more
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _main(more: str, file: str, *names: str) -> None:
    import io

    import h5py

    source = io.BytesIO(sys.stdin.buffer.read()) if file == "-" else file
    _limit(int(more))
    try:
        with h5py.File(source, "r") as whole:
            for name in names:
                for begin in range(0, len(whole[name]), _ROWS):
                    whole[name][begin : begin + _ROWS]
    except MemoryError:
        print("its strings take more memory than the file explains. Is it damaged?", file=sys.stderr)
        sys.exit(_REFUSED)
    except Exception as error:
        print(str(error).strip() or type(error).__name__, file=sys.stderr)
        sys.exit(_REFUSED)


if __name__ == "__main__":
    _main(*sys.argv[1:])
