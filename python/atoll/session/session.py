# SPDX-License-Identifier: Apache-2.0
"""The session an array lives in: this process, local worker PEs behind it, or one PE of a job."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .. import _core
from . import communicator, progress, recovery, worker

if TYPE_CHECKING:
    from .launched import LaunchedJob
from .where import where

_current: _core.Session | None = None
_front: Session | None = None
_members: list[int] = []  # PEs of the job, where it is not all of them
_hosts: list[str] = []  # that the user asked for
_has_replaced = False
_checkpoint_root = ""
_before: list[Session] = []  # sessions that are current again when the later one has ended


class Session:
    """A running session, as `ak.init` returns it. As a context manager it shuts itself down.

    Examples
    --------
    >>> import atoll as ak
    >>> session = ak.init()
    >>> session.pes >= 1
    True
    """

    __slots__ = ("_core", "_dashboard", "_job", "_place")

    def __init__(
        self, core: _core.Session, job: LaunchedJob | None = None, place: tuple[int, int, int] | None = None
    ) -> None:
        self._core = core
        self._job = job  # of a driver over several hosts
        self._place = place  # PE, PEs and the state from which they go on, until this process is one of them
        self._dashboard = ""  # address of the one that is open

    kind = property(lambda self: self._core.kind, doc="'embedded', 'driver', 'spmd' or 'remote'.")
    pe = property(
        lambda self: self._place[0] if self._place else self._core.pe,
        doc="Rank of this PE; 0 in an embedded or driver session.",
    )
    pes = property(lambda self: self._place[1] if self._place else self._core.pes, doc="Number of PEs.")
    threads = property(lambda self: self._core.threads, doc="Threads of each PE.")
    closed = property(lambda self: self._core.closed, doc="True once shut down.")
    failed = property(
        lambda self: self._core.failed,
        doc="True once a PE has died or has not answered in time: start another session.",
    )

    @property
    def resilience(self) -> str:
        """'process' where the session survives the death of workers or, in an SPMD session, of PEs; else 'off'."""
        return "process" if self._place else getattr(self._core, "resilience", "off")

    @property
    def recoveries(self) -> list[recovery.Report]:
        """The deaths that the session has survived: cause, PEs, arrays and bytes adopted, seconds."""
        return self._core.recoveries() if self.resilience != "off" else []

    def shutdown(self) -> None:
        """Ends the session; its arrays can no longer be used."""
        global _current, _front
        lost = self.failed
        try:
            if not self._core.closed:
                self._core.shutdown()
        finally:
            if self._core.closed and self._job is not None:
                job, self._job = self._job, None
                job.end(lost=lost)
            if self._core.closed and self._core is _current:
                _current = _front = None
                while _before and _front is None:
                    last = _before.pop()
                    if not last.closed:
                        _current, _front = last._core, last

    def barrier(self) -> None:
        """Waits until every PE has come here."""
        self._core.barrier()

    def stats(self) -> dict[str, int]:
        """Counters of this PE; see `ak.stats`."""
        return self._core.stats()

    def moved_bytes(self) -> int:
        """Bytes that all PEs have put, got and sent. Collective."""
        return self._core.moved_bytes()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.shutdown()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"PE {self.pe} of {self.pes}, {self.threads} threads"
        if not self.closed and self.resilience != "off":
            state += f", survives {self._survived()}"
        return f"<atoll session: {self.kind}, {state}>"

    def _survived(self) -> str:
        mortal = "workers" if self.kind == "driver" else "PEs"
        return f"deaths of {mortal} ({len(self.recoveries)} so far)"

    def _repr_html_(self) -> str:
        rows = {"session": self.kind, "state": "closed" if self.closed else "failed" if self.failed else "running"}
        if self.kind == "remote":
            rows["server"] = getattr(self._core, "name", "")
        if not self.closed:
            rows |= {"PEs": str(self.pes), "threads of each PE": str(self.threads)}
            if self._job is not None:
                rows["hosts"] = ", ".join(self._job.hosts)
            if self.resilience != "off":
                rows["survives"] = self._survived()
            if _checkpoint_root:
                rows["checkpoints of loops"] = _checkpoint_root
        if not self.closed and not self.failed:
            found = self._core.stats()
            limit = found["memory_limit"]
            rows["memory of PE 0"] = f"{found['memory_in_use'] / 1e9:.2f} of {limit / 1e9:.2f} GB"
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
        if not self.closed and self.pe == 0:
            cells += f"<tr><th>dashboard</th><td>{self._dashboard_link()}</td></tr>"
        return f"<table><caption>Atoll</caption>{cells}</table>"

    def _dashboard_link(self) -> str:
        if not self._dashboard:
            return "<code>ak.dashboard()</code> opens one"
        return f'<a href="{escape(self._dashboard)}" target="_blank" rel="noopener">open</a>'


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number = int(value.__index__())
    if number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
    return number


def in_job() -> bool:
    """Whether a launcher (``atoll run``, srun, mpiexec, prterun) started this process as one PE of a job."""
    return _core.in_job()


def _host_list(hosts: str | Sequence[str] | None) -> list[str]:
    if hosts is None:
        return []
    names = hosts.split(",") if isinstance(hosts, str) else list(hosts)
    if not names or not all(isinstance(one, str) and one.strip() for one in names):
        raise ValueError(f"hosts={hosts!r} does not name hosts. Give a string like 'a:8,b:8', or a list of such names?")
    return [one.strip() for one in names]


def _start(pes: int, threads: int, hosts: list[str], has_count: bool, survives: bool) -> Session:
    """A session of this process, which no launcher has started: alone, or the driver of workers."""
    found = None
    if not hosts and pes > 1:
        from . import allocation

        found = allocation.find()
    if found is not None:
        hosts = found.hosts
    if hosts and survives:
        raise ValueError(
            f"resilience='process' is for workers on this host, not on {','.join(hosts)} (a dead worker's memory is on "
            "its host). Use checkpoints, or resilience='off'?"
        )
    if hosts:
        from .launched import LaunchedJob, this_host_first

        agent = found.launch_agent if found is not None else ""
        job = LaunchedJob(this_host_first(hosts), pes if has_count else None, threads or None, agent)
        return Session(job.core, job)
    if pes == 1:
        return Session(_core.start_embedded(threads))
    core = _core.start_driver(pes, threads, worker.command(), survives)
    recovery.watch(core)
    return Session(core)


def _join(survives: bool) -> Session:
    """A session of the job that a launcher has started this process for."""
    place = _core.replaced_place() if survives else None
    if place is not None:  # what precedes the loop in which the others wait concerns this process alone
        return Session(_core.start_embedded(0), place=place)
    return Session(_core.join_job([], survives))


def replaced_number() -> int | None:
    """In a process that takes the place of a dead PE: the number of the state from which the others go on."""
    return _front._place[2] if _front is not None and _front._place else None


def checkpoint_root() -> str:
    """The directory for checkpoints of loops that `ak.init` was given; empty: none."""
    return _checkpoint_root


def has_replaced_another() -> bool:
    """Whether this process has taken the place of a dead PE."""
    return _has_replaced


def take_place() -> None:
    """Makes such a process one of the PEs. The arrays that it has made so far end."""
    global _current, _has_replaced
    assert _front is not None
    _has_replaced = True
    _front._core.shutdown()
    _front._core, _front._place = _core.join_job([], True), None
    _current = _front._core
    progress.watch(_current)
    _current.set_locator(where)


def _start_in_dask(client: Any, pes: int | None, threads: int | None) -> Session:
    from . import dask
    from .launched import LaunchedJob

    found = dask.hosts_of(client)
    starter = dask.remote_start(client, found)
    try:
        hosts = ["localhost:1", *(f"{host}:{len(workers)}" for host, workers in found.items())]
        job = LaunchedJob(hosts, pes, threads, starter.launch_agent)
    finally:
        starter.close()
    return Session(job.core, job)


def _start_in_ray(pes: int | None, threads: int | None) -> Session:
    from .launched import LaunchedJob
    from .ray import Nodes

    nodes = Nodes()
    starter = nodes.remote_start()
    try:
        job = LaunchedJob(nodes.hosts(pes), pes, threads, starter.launch_agent, nodes.close)
    except BaseException:
        nodes.close()
        raise
    finally:
        starter.close()
    return Session(job.core, job)


def init(
    pes: int | None = None,
    threads: int | None = None,
    *,
    hosts: str | Sequence[str] | None = None,
    comm: Any = None,
    dask: Any = None,
    ray: bool = False,
    resilience: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Session:
    """Start a session. Optional: the first array starts an embedded one.

    Parameters
    ----------
    pes : int, optional
        Processes that share the work. 1, the default, is this process alone; more start workers on this machine, or,
        in an allocation of Slurm, PBS or LSF, on all of its hosts.
        Under ``atoll run``, ``srun`` or ``mpiexec`` the launcher has decided, and `pes` is not used.
    threads : int, optional
        Threads of each PE. By default the cores are shared evenly.
    hosts : str or sequence of str, optional
        Hosts on which to start workers, with the number of PEs on each: "a:8,b:8". This process is PE 0, so that its
        host is one of them; its PEs come first. Without numbers `pes` are shared evenly. Programs are started there as
        by ``atoll run --hosts``.
    comm : mpi4py.MPI.Comm or int, optional
        An intra-communicator of Atoll's MPI, or its handle: its ranks are the session's PEs. Collective over them.
    dask : distributed.Client, optional
        A Dask cluster on whose hosts to start workers: one PE for each Dask worker, and this process as PE 0.
        Experimental.
    ray : bool
        Whether to start workers on the nodes of the Ray cluster that this process is connected to: one PE for each
        processor that Ray may use, or `pes`, and this process as PE 0. Connects (``ray.init()``) where there is no
        connection. Experimental.
    resilience : {"off", "process"}, optional
        "process": the death of a worker (a crash, ``kill -9``, the kernel's out-of-memory killer) does not end the
        session. A new process adopts the dead worker's memory, operations that were under way are repeated, and a
        warning tells. For sessions whose workers this call starts, and under ``atoll run`` on one host, where the
        surviving PEs call `recover` after a PeFailedError. Experimental; "off" is the default.
    checkpoint : path, optional
        A directory in which loops over `steps` write checkpoints and find those of an earlier run, loop by loop.

    Returns
    -------
    Session
        The running session; ``with ak.init(pes=4): …`` shuts it down at the end.

    Raises
    ------
    RuntimeError
        If another session is running: shut it down first. One whose workers have died or do not answer is shut down
        by this call, and its arrays are lost.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.init() is ak.init()
    True
    """
    global _current, _front, _members, _hosts, _checkpoint_root
    if checkpoint is not None:
        _checkpoint_root = os.path.abspath(os.path.expanduser(os.fspath(checkpoint)))
    if _front is not None and not _front.closed and _front.kind in ("driver", "remote") and _front.failed:
        _front.shutdown()
    if resilience is not None and resilience not in recovery.LEVELS:
        raise ValueError(f"resilience must be one of {', '.join(map(repr, recovery.LEVELS))}, not {resilience!r}")
    if (dask is not None or ray) and resilience == "process":
        raise ValueError("resilience='process' is for workers on this host, not in a cluster. Leave it out?")
    wanted_pes = None if pes is None else _count(pes, "pes")
    wanted_threads = None if threads is None else _count(threads, "threads")
    members = communicator.members(comm) if comm is not None else []
    wanted_hosts = _host_list(hosts)
    if sum((comm is not None, bool(wanted_hosts), dask is not None, bool(ray))) > 1:
        raise ValueError("comm, hosts, dask and ray exclude one another: each says where the PEs are. Give one")
    if _current is not None and not _current.closed and _front is not None:
        fits_pes = wanted_pes in (None, _current.pes) or _current.kind == "spmd" or _front._place is not None
        fits_pes = fits_pes and (comm is None or members == _members)
        fits_pes = fits_pes and (not wanted_hosts or wanted_hosts == _hosts or _current.kind == "spmd")
        survives = _current.kind == "driver" or (_current.kind == "spmd" and resilience == "process")
        fits_pes = fits_pes and (not survives or resilience in (None, _front.resilience))
        if fits_pes and wanted_threads in (None, _current.threads):
            return _front
        raise RuntimeError(
            f"a session of {_current.pes} PEs with {_current.threads} threads is running. "
            "Call ak.shutdown() first (its arrays end with it)"
        )
    if comm is not None and resilience == "process":
        raise ValueError(
            "resilience='process' is for all PEs of a job, not for those of a communicator. Leave out comm?"
        )
    if comm is not None:
        front = Session(_core.join_job(members))
    elif in_job():
        front = _join(resilience == "process")
    elif dask is not None:
        front = _start_in_dask(dask, wanted_pes, wanted_threads)
    elif ray:
        front = _start_in_ray(wanted_pes, wanted_threads)
    else:
        front = _start(
            wanted_pes or 1, wanted_threads or 0, wanted_hosts, wanted_pes is not None, resilience == "process"
        )
    core = front._core
    progress.watch(core)
    core.set_locator(where)
    _current, _front, _members, _hosts = core, front, members, wanted_hosts
    return front


def current() -> _core.Session:
    """The running session's engine; starts an embedded one (or joins the job) when there is none."""
    if _current is not None and not _current.closed:
        return _current
    return init()._core


def show_dashboard(core: Any, url: str) -> None:
    """Notes where the dashboard of the current session is, for its card; "": it is closed."""
    if _front is not None and _front._core is core:
        _front._dashboard = url


def adopt(core: Any) -> Session:
    """Makes a session that was started elsewhere the current one; the one before is current again when it has ended.

    `core` has the attributes and methods of `_core.Session`.
    """
    global _current, _front
    if _front is not None and not _front.closed:
        _before.append(_front)
    _current, _front = core, Session(core)
    return _front


def running() -> bool:
    """Whether there is a session, without starting one."""
    return _current is not None and not _current.closed


def memory_is_here(session: _core.Session) -> bool:
    """Whether the elements of a session's arrays are all in this process's memory."""
    return session.pes == 1 and session.kind != "remote"


def shutdown() -> None:
    """End the session. Its arrays can no longer be used; the next new array starts another session.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.shutdown()
    """
    if _front is not None:
        _front.shutdown()


def pe() -> int:
    """Rank of this PE: 0 but under a launcher, where every PE runs the script.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.pe()
    0
    """
    return _front._place[0] if _front is not None and _front._place else current().pe


def pes() -> int:
    """Number of PEs of the session.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.pes() >= 1
    True
    """
    return _front._place[1] if _front is not None and _front._place else current().pes


def threads() -> int:
    """Threads of each PE.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.threads() >= 1
    True
    """
    return current().threads


def barrier() -> None:
    """Wait until every PE has come here.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.barrier()
    """
    current().barrier()


def stats() -> dict[str, int]:
    """Memory, traffic and commands of this PE so far.

    Returns
    -------
    dict
        Bytes in ``memory_in_use``, ``memory_peak``, ``memory_pooled`` and ``memory_limit``; ``bytes_put``,
        ``bytes_got``, ``bytes_sent`` and ``messages`` sent to other PEs; ``commands`` executed; and
        nanoseconds in the phases of operations that tell (``fft_planes_ns``, …), once there are any.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.stats()["memory_peak"] >= 0
    True
    """
    return current().stats()


def get_config() -> dict[str, Any]:
    """Describes this installation and session: version, processor, SIMD level, memory, PEs, threads, variables.

    Examples
    --------
    >>> import atoll as ak
    >>> ak.get_config()["pes"] == ak.pes()
    True
    """
    core = current()
    answer: dict[str, Any] = dict(getattr(core, "info", _core.info)())  # of a remote session its server's
    answer.update(kind=core.kind, pe=core.pe, pes=core.pes, threads=core.threads)
    return answer


def _end_all() -> None:
    while _front is not None and not _front.closed:
        _front.shutdown()


atexit.register(_end_all)
