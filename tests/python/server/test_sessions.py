# SPDX-License-Identifier: Apache-2.0
"""Remote sessions: round trips, errors, memory, interrupts, several at once, and what is left at their end."""

import dis
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from server.conftest import running_server

import atoll as ak
from atoll.serve import server_files
from atoll.serve.client.connect import target_of


def _sessions(name):
    return target_of(name).control({"purpose": "status", "sessions": True})["list"]


def _sort_for_ever(x, begin=lambda: None):
    begin()
    while True:
        ak.sort(x)


def _wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def _arrays_of(session):
    number = session._core._channel.reply["session"]
    (found,) = [one for one in _sessions(session._core.name) if one["session"] == number]
    return found["arrays"]


def test_chain_of_lazy_operations_takes_one_round_trip(session):
    x = ak.arange(1000).astype(float)
    before = session.stats()["round_trips"]
    total = x
    for _ in range(10):
        total = total * 2 + 1
    assert total.sum() == 499500 * 1024 + 1023 * 1000
    assert session.stats()["round_trips"] == before + 2  # the sum, and these statistics


def test_error_comes_back_with_type_and_message(session):
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,\) \(4,\)"):
        ak.arange(3) + ak.arange(4)
    with pytest.raises(IndexError, match="index 5000 is out of bounds for axis 0 with size 10"):
        ak.arange(10)[ak.array([5000])]
    with pytest.raises(ValueError, match="zero-size array to reduction operation minimum"):
        ak.zeros(0).min()
    assert ak.arange(10).sum() == 45


def test_arrays_change_in_place_and_aliases_keep_their_values(session):
    a = ak.arange(5)
    b = a.copy()
    a += 1
    a[1:3] = 7
    a[ak.array([0])] = 9
    assert a.to_numpy().tolist() == [9, 7, 7, 4, 5]
    assert b.to_numpy().tolist() == [0, 1, 2, 3, 4]


def test_large_arrays_go_up_and_down_whole(session):
    values = np.arange(3_000_001, dtype=np.float64)
    array = ak.array(values)
    assert np.array_equal(array.to_numpy(), values)
    table = values[:3_000_000].reshape(1000, 3000)
    assert np.array_equal(ak.array(table).to_numpy(), table)


def test_server_frees_arrays_that_the_client_drops(session):
    kept = ak.ones(1000) + 1
    some = [ak.array(np.ones(10)) for _ in range(20)]
    many = _arrays_of(session)
    del some
    gc.collect()
    assert kept.sum() == 2000
    assert _arrays_of(session) <= many - 20


def test_arrays_beyond_the_quota_raise_and_other_sessions_go_on(server):
    ak.shutdown()
    with ak.connect(server) as other:
        untouched = ak.arange(100)
        with ak.connect(server, quota=100_000):
            fits = ak.array(np.ones(10_000))
            with pytest.raises(MemoryError, match="its quota is 100000 bytes"):
                ak.array(np.ones(10_000))
            assert fits.sum() == 10_000
        assert untouched.sum() == 4950
        assert other.stats()["round_trips"] > 0


def _counted():
    return ak.arange(20_000).evaluate()


def _evaluated():
    return (ak.zeros(10) + np.zeros((2000, 10))).evaluate()


def _changed_in_place():
    x = ak.zeros(20_000)
    x[3] = 1
    return x


def _sorted():
    return ak.sort(ak.zeros(20_000))


@pytest.mark.parametrize("make", [_counted, _evaluated, _changed_in_place, _sorted])
def test_no_kind_of_call_exceeds_the_quota(server, make):
    ak.shutdown()
    with ak.connect(server, quota=100_000):
        fits = ak.array(np.ones(1000))
        with pytest.raises(MemoryError, match=r"would take 1[6-9][0-9]{4} bytes \(its quota is 100000 bytes"):
            make().sum()
        gc.collect()
        assert (ak.zeros(11_000) + fits[0]).evaluate().sum() == 11_000


def test_sessions_in_one_process_do_not_mix(session):
    mine = ak.arange(3)
    with ak.connect("three"):
        theirs = ak.arange(3)
        with pytest.raises(ValueError, match="belong to different sessions"):
            mine + theirs
        assert theirs.sum() == 3
    assert (mine + 1).sum() == 6
    with pytest.raises(RuntimeError, match="the session has ended"):
        theirs.sum()


def test_local_session_works_beside_a_remote_one(session):
    remote = ak.arange(4)
    session.shutdown()
    local = ak.arange(4)
    assert local._expr.session.kind == "embedded"
    assert (local * 2).sum() == 12
    with pytest.raises(RuntimeError, match="the session has ended"):
        remote.sum()


def test_threads_of_one_session_take_turns(session):
    x, found = ak.arange(100), []

    def work():
        found.extend(int((x + step).sum()) for step in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(found) == sorted(4950 + 100 * step for step in range(20) for _ in range(4))


def test_clients_of_several_processes_are_served_at_once(session):
    script = (
        "import sys, atoll as ak\n"
        "with ak.connect('three'):\n"
        "    x = ak.arange(1000)\n"
        "    sys.exit(0 if all((x + i).sum() == 499500 + 1000 * i for i in range(50)) else 1)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(ak.__file__))}
    others = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(2)]
    for step in range(50):
        assert (ak.arange(1000) + step).sum() == 499500 + 1000 * step
    assert [one.wait(60) for one in others] == [0, 0]


def test_interrupt_reaches_the_running_operation(session):
    x = ak.random.default_rng(1).random(2_000_000)
    core, done = session._core, threading.Event()

    def interrupt():
        while not done.is_set():
            if target_of("three").control({"purpose": "status"})["running"] == "sort":
                core._interrupt(core._channel.number)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            _sort_for_ever(x)
    finally:
        done.set()
        thread.join()
    assert x.size == 2_000_000
    assert 0 <= x.min() <= x.max() < 1


def test_signal_interrupts_a_waiting_client(session):
    x = ak.random.default_rng(1).random(500_000)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        _sort_for_ever(x, timer.start)
    assert ak.arange(10).sum() == 45


def _handles_signals(frame):
    """Whether Python runs signal handlers before the next instruction: after a call, and where a function begins."""
    behind = frame.f_code.co_code[frame.f_lasti - 2]
    for at in range(frame.f_lasti - 2, -1, -2):  # over the inline caches of the instruction before
        behind = frame.f_code.co_code[at]
        if dis.opname[behind] != "CACHE":
            break
    return dis.opname[behind].startswith(("CALL", "RESUME"))


def _raise_at(step, error, files):
    """A tracing function that raises where the handler of a signal may run for the `step`th time in the given files."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if not frame.f_code.co_filename.endswith(files) or frame.f_code.co_name == "drop":  # of finalizers
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and _handles_signals(frame):
            count += 1
            if count == step:
                sys.settrace(None)
                raise error
        return trace

    return trace


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeoutError])
def test_exception_of_a_signal_handler_at_any_step_of_a_call_keeps_the_session(session, error):
    x = ak.arange(1000) + 1
    assert x.sum() == 500500
    step = 0
    while True:
        step += 1
        sys.settrace(_raise_at(step, error, ("client/channel.py", "client/session.py")))
        try:
            total = (x + 0).sum()
            break
        except error:
            pass
        finally:
            sys.settrace(None)
        if step % 8 == 0:
            assert ak.arange(10).sum() == 45
    assert total == 500500
    assert step > 40


def test_connection_that_breaks_resumes(session):
    x = ak.arange(1000) + 1
    for step in range(5):
        session._core._channel._socket.shutdown(2)  # SHUT_RDWR
        assert (x + step).sum() == 500500 + 1000 * step
    assert session.stats()["resumed"] == 5


def test_connection_that_breaks_during_a_long_operation_brings_its_answer(session):
    x = ak.random.default_rng(1).random(2_000_000)
    least, number = x.min(), session._core._channel.reply["session"]
    for _ in range(5):
        answers = []
        caller = threading.Thread(target=lambda: answers.append(ak.sort(x)[0]), daemon=True)  # noqa: B023
        caller.start()
        while caller.is_alive() and "sort" not in [one["running"] for one in _sessions("three")]:
            pass
        if (raw := session._core._channel._socket) is not None:
            raw.shutdown(2)  # SHUT_RDWR
        caller.join(60)
        assert answers == [least]
    assert number in [one["session"] for one in _sessions("three")]


def test_arrays_without_a_name_are_freed_after_the_grace_period(home):
    ak.shutdown()
    with running_server("short", "--grace", "0.2"):
        target = target_of("short")
        with ak.connect("short") as session:
            ak.publish("kept", ak.arange(1000))
            x = ak.random.default_rng(1).random(1_000_000)
            assert 0 < x.mean() < 1
            number = session._core._channel.reply["session"]
            session._core._channel._socket.shutdown(2)  # SHUT_RDWR
            _wait_until(lambda: number not in [one["session"] for one in _sessions("short")])
            _wait_until(lambda: 0 < target.control({"purpose": "monitor"})["stats"].get("memory_in_use", 0) < 1_000_000)
            with pytest.raises(ConnectionError, match=r"cannot go on: there is no such session \(it has ended, or"):
                x.mean()
            with pytest.raises(RuntimeError, match="the session has ended"):
                x.mean()
        with ak.connect("short"):
            assert ak.attach("kept").sum() == 499_500


def test_killed_server_is_an_error_and_another_can_start(home):
    ak.shutdown()
    with running_server("doomed") as process:
        with ak.connect("doomed"):
            x = ak.arange(10)
            assert x.sum() == 45
            process.send_signal(signal.SIGKILL)
            process.wait()
            with pytest.raises(ConnectionError, match="'doomed' does not answer"):
                x.sum()
            with pytest.raises(RuntimeError, match="the session has ended"):
                x.sum()
        with pytest.raises(ConnectionError, match="no server listens"):
            ak.connect("doomed")
    with running_server("doomed"), ak.connect("doomed"):
        assert ak.arange(10).sum() == 45
    assert not server_files.file_of("doomed").exists()
    assert not os.path.exists(server_files.socket_of("doomed"))


def test_commands_ask_and_stop_a_server(home, capsys):
    from atoll.cli import main

    with running_server("asked", "-n", "2") as process:
        assert main(["serve", "start", "--name", "asked"]) == 1  # one is running
        with ak.connect("asked"):
            assert main(["serve", "sessions", "--name", "asked"]) == 0
        assert main(["serve", "status"]) == 0
        assert main(["serve", "logs", "--name", "asked"]) == 0
        assert main(["serve", "stop", "--name", "asked"]) == 0
        assert process.wait(60) == 0
        told = capsys.readouterr().out
    assert "asked: 2 PEs" in told
    assert "0 arrays" in told
    assert "has ended" in told
    assert main(["serve", "stop", "--name", "asked"]) == 1


def test_tls_server_is_known_by_its_fingerprint(home):
    pytest.importorskip("cryptography")
    ak.shutdown()
    with running_server("secret", "--tls"):
        about = server_files.read("secret")
        token, address = about.tokens["code"], f"127.0.0.1:{about.port}"
        with ak.connect(address, token=token, fingerprint=about.fingerprint) as session:
            values = np.arange(2_000_000)
            assert np.array_equal(ak.array(values).to_numpy(), values)
            assert session.pes == 1
        with pytest.raises(PermissionError, match="is not the one that is expected"):
            ak.connect(address, token=token, fingerprint="00" * 32)
        with pytest.raises(ConnectionError, match="Does it use TLS"):
            ak.connect(address, token=token)
    assert not list(server_files.directory().glob("secret.[ck]*"))


def test_addresses_of_other_hosts_are_refused(home, capsys):
    from atoll.cli import main

    assert main(["serve", "--host", "0.0.0.0", "--name", "open"]) == 1
    assert "not be encrypted" in capsys.readouterr().err
    with pytest.raises(ValueError, match="others could read"):
        ak.connect("192.0.2.1:1234", token="x")
