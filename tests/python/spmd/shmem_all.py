# SPDX-License-Identifier: Apache-2.0
"""Tests atoll.shmem on every PE of a job; a failing assertion ends the job."""

import gc
import sys

import numpy as np

import atoll as ak
from atoll import shmem

me, n = shmem.my_pe(), shmem.n_pes()
right, left = (me + 1) % n, (me - 1) % n
world = shmem.team_world()


def same(a, b):
    np.testing.assert_array_equal(a, b)


def put_and_get():
    for dtype in (
        "int8",
        "uint16",
        "int32",
        "int64",
        "float32",
        "float64",
        "longdouble",
        "complex128",
        "bool",
        "S5",
        "M8[s]",
    ):
        given = np.arange(12).astype(dtype if dtype != "M8[s]" else "int64").astype(dtype).reshape(3, 4)
        x = shmem.zeros((3, 4), dtype)
        y = shmem.zeros((3, 4), dtype)
        shmem.put(x.view("int64") if dtype == "M8[s]" else x, given.view("int64") if dtype == "M8[s]" else given, right)
        shmem.put(
            (y.view("int64") if dtype == "M8[s]" else y)[1:, ::2],
            (given.view("int64") if dtype == "M8[s]" else given)[1:, ::2],
            right,
        )
        shmem.barrier()
        same(x, given)
        same(y[1:, ::2], given[1:, ::2])
        same(y[0], np.zeros(4, dtype))
        if dtype != "M8[s]":
            same(shmem.get(x.T, left), given.T)
            same(shmem.get(x[::-1, 1:3], right), given[::-1, 1:3])
        shmem.barrier()
    record = np.dtype([("a", "i4"), ("b", "f8", 2)])
    x = shmem.zeros(3, record)
    shmem.put(x, np.array((me, (1, 2)), record), right)
    shmem.barrier()
    assert x[1]["a"] == left
    assert x[2]["b"][1] == 2
    x = shmem.array(np.arange(10.0) + 100 * me)
    out = np.empty(4)
    assert shmem.get(x[3:7], right, out=out) is out
    same(out, np.arange(3, 7) + 100 * right)
    shmem.barrier()
    shmem.put(x[2:2], [], right)
    shmem.p(x, -1, right, index=-1)
    shmem.barrier()
    assert shmem.g(x, me, index=9) == -1
    assert shmem.g(x, right, index=0) == 100 * right


def errors():
    x = shmem.zeros(4)
    for wrong, error in (
        (lambda: shmem.put(x, 1, n), IndexError),
        (lambda: shmem.put(x, 1, -1), IndexError),
        (lambda: shmem.put(np.zeros(4), 1, right), ValueError),
        (lambda: shmem.put(x, [1, 2, 3], right), ValueError),
        (lambda: shmem.get(np.zeros(4), right), ValueError),
        (lambda: shmem.get(x, right, out=np.zeros(3)), ValueError),
        (lambda: shmem.atomic_add(x, 1, right), TypeError),
        (lambda: shmem.atomic_set(x, 1, right, index=4), IndexError),
        (lambda: shmem.atomic_add(shmem_bytes, 1, right), TypeError),
        (lambda: shmem.atomic_add(counter, "one", right), (TypeError, OverflowError)),
        (lambda: shmem.wait_until(x, "=", 1), ValueError),
        (lambda: shmem.reduce([1.0], "xor"), TypeError),
        (lambda: shmem.reduce([1j], "max"), TypeError),
        (lambda: shmem.empty(3, object), TypeError),
        (lambda: shmem.empty(-1), ValueError),
        (lambda: shmem.free(np.zeros(3)), ValueError),
    ):
        try:
            wrong()
        except error:
            continue
        raise AssertionError("nothing was raised")


def atomics():
    x = shmem.zeros(4, "int64")
    tickets = [shmem.atomic_fetch_inc(x, 0) for _ in range(100)]
    assert tickets == sorted(set(tickets))
    shmem.atomic_add(x, me, n - 1, index=1)
    shmem.atomic_or(x, 1 << me, 0, index=2)
    shmem.atomic_inc(x, right, index=3)
    shmem.barrier()
    assert shmem.atomic_fetch(x, 0) == 100 * n
    assert shmem.g(x, n - 1, index=1) == n * (n - 1) // 2
    assert shmem.g(x, 0, index=2) == (1 << n) - 1
    assert x[3] == 1
    u = shmem.full(3, 12, "uint32")
    assert shmem.atomic_fetch_and(u, 10, right) == 12
    assert shmem.atomic_fetch_xor(u, 10, right) == 8
    assert shmem.atomic_compare_swap(u, 12, 5, right, index=1) == 12
    assert shmem.atomic_compare_swap(u, 12, 6, right, index=1) == 5
    f = shmem.zeros(1, "float32")
    assert shmem.atomic_swap(f, 2.5, right) == 0
    assert shmem.atomic_fetch(f, right) == 2.5
    shmem.barrier()


def waits_and_signals():
    data, flag = shmem.zeros(1000), shmem.zeros(2, "uint64")
    for round_ in range(1, 20):
        shmem.put_signal(data, round_ * 100 + me, flag, round_, right)
        assert shmem.wait_until(flag, ">=", round_)
        same(data, np.full(1000, round_ * 100 + left))
        shmem.barrier()
    for pe in range(n):
        shmem.put_signal(data[:0], [], flag, 2, pe, op="add", index=1)
    assert shmem.wait_until(flag, "==", 2 * n, index=1)
    assert shmem.signal_fetch(flag, 1) == 2 * n
    assert not shmem.wait_until(flag, "==", 77, timeout=0.02)
    assert shmem.test(flag, "!=", 77)
    shmem.barrier()
    shmem.signal_set(flag, 5, right)
    shmem.quiet()
    world.sync()
    assert shmem.signal_fetch(flag) == 5


def collectives():
    same(shmem.reduce(np.arange(5) * (me + 1)), np.arange(5) * n * (n + 1) // 2)
    assert shmem.reduce(me, "max") == n - 1
    same(shmem.inscan([me, 1]), [me * (me + 1) // 2, me + 1])
    same(shmem.exscan([me, 1]), [me * (me - 1) // 2, me])
    same(shmem.reduce([me % 2 == 0], "and"), [n == 1])
    assert shmem.reduce(1j + me) == n * 1j + n * (n - 1) // 2
    same(shmem.fcollect([[me, 7]]), [[[pe, 7]] for pe in range(n)])
    same(shmem.collect(np.full(me + 1, me)), np.repeat(np.arange(n), np.arange(1, n + 1)))
    same(shmem.collect(np.full((me, 2), me)), np.repeat(np.arange(n), np.arange(n))[:, None].repeat(2, 1))
    same(shmem.alltoall(np.arange(n) + 10 * me), np.arange(n) * 10 + me)
    same(shmem.alltoall(np.arange(2 * n).reshape(n, 2)), np.tile([2 * me, 2 * me + 1], (n, 1)))
    values = np.arange(3.0) + me
    assert shmem.broadcast(values, n - 1) is values
    same(values, np.arange(3.0) + n - 1)
    x = shmem.array(np.arange(4.0) * me)
    same(shmem.reduce(x), np.arange(4.0) * (n * (n - 1) // 2))


def teams():
    even = world.split_strided(0, 2, (n + 1) // 2)
    assert (even is not None) == (me % 2 == 0)
    if even is not None:
        assert (even.my_pe, even.n_pes) == (me // 2, (n + 1) // 2)
        assert even.translate_pe(even.my_pe, world) == me
        assert even.translate_pe(even.n_pes, world) == -1
        same(even.fcollect(me), np.arange(0, n, 2))
        even.destroy()
    reversed_ = world.split_strided(n - 1, -1, n)
    same(reversed_.inscan(1), n - me)
    assert reversed_.translate_pe(0, world) == n - 1
    row, column = world.split_2d(2)
    assert (row.my_pe, column.my_pe) == (me % min(2, n), me // min(2, n))
    same(row.fcollect(me), np.arange(n)[me // 2 * 2 :][:2] if n > 1 else [0])
    node, across = world.split_node()
    assert node.translate_pe(node.my_pe, world) == me == across.translate_pe(across.my_pe, world)
    firsts = world.reduce(int(node.my_pe == 0))
    assert node.my_pe != 0 or across.n_pes == firsts
    same(node.fcollect(across.n_pes).shape, (node.n_pes,))
    assert across.fcollect(me).tolist() == [across.translate_pe(pe, world) for pe in range(across.n_pes)]
    for team in (reversed_, row, column, node, across):
        team.destroy()


def locks():
    lock, count = shmem.Lock(), shmem.zeros(1, "int64")
    for _ in range(50):
        with lock:
            shmem.p(count, shmem.g(count, 0) + 1, 0)
    shmem.barrier()
    assert shmem.g(count, 0) == 50 * n
    if me == 0:
        assert lock.test()
    shmem.barrier()
    if me != 0:
        assert not lock.test()
    shmem.barrier()
    if me == 0:
        lock.clear()


def memory():
    from atoll.shmem._library import symmetric

    blocks = symmetric().blocks
    for _ in range(200):  # more over time than there is room for
        x = shmem.zeros(1 << 20)
        x[me] = 1
        del x
    for _ in range(200):
        x = shmem.zeros(1 << 20)
        assert not x.any()
        shmem.free(x)
    kept = shmem.zeros(5)[1:3]
    shmem.zeros(1)
    gc.collect()
    shmem.zeros(1)
    assert symmetric().blocks <= blocks + 3
    shmem.put(kept, me, right)
    shmem.barrier()
    same(kept, [left, left])
    if me == 0:
        other = shmem.zeros(10)  # one PE keeps it longer: it stays everywhere
    else:
        shmem.zeros(10)
    shmem.zeros(1)
    if me == 0:
        same(shmem.get(other, right), np.zeros(10))
    shmem.barrier()


def beside_arrays():
    a = ak.arange(1000) + 1
    x = shmem.array([float(a.sum())])
    assert shmem.g(x, right) == 500500
    assert float(ak.sum(ak.ones(10))) == 10


counter = shmem.zeros(1, "int64")
shmem_bytes = shmem.zeros(8, "uint8")
for part in (put_and_get, errors, atomics, waits_and_signals, collectives, teams, locks, memory, beside_arrays):
    part()
    shmem.barrier()
if me == 0:
    print(f"all parts hold on {n} PEs")
sys.stdout.flush()
