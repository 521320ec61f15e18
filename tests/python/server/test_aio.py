# SPDX-License-Identifier: Apache-2.0
"""`ak.aio`: awaited operations beside other work, their order, errors and cancellation."""

import asyncio
import threading

import numpy as np
import pytest

import atoll as ak


@pytest.fixture(params=["remote", "embedded"])
def any_session(request):
    ak.shutdown()
    if request.param == "embedded":
        yield None
    else:
        with ak.connect(request.getfixturevalue("server")) as session:
            yield session


def test_awaited_functions_give_what_the_functions_give(any_session):
    async def program():
        x = await ak.aio.array(np.array([3.0, 1.0, 2.0]))
        ordered = await ak.aio.sort(x)
        return ordered.to_numpy().tolist(), await ak.aio.run(x.sum)

    assert asyncio.run(program()) == ([1.0, 2.0, 3.0], 6.0)


def test_other_coroutines_run_while_a_function_is_awaited(any_session):
    async def program():
        reached = threading.Event()
        waiting = asyncio.create_task(ak.aio.run(reached.wait, 60))
        await asyncio.sleep(0)
        reached.set()  # the function ends because this line runs beside it
        return await waiting

    assert asyncio.run(program())


def test_errors_of_awaited_functions_are_those_of_the_functions(any_session):
    async def program():
        with pytest.raises(ValueError, match="could not be broadcast"):
            await ak.aio.add(ak.arange(3), ak.arange(4))
        return await ak.aio.run(ak.arange(4).sum)

    assert asyncio.run(program()) == 6


def test_submitted_functions_run_in_the_order_of_their_calls(any_session):
    order = []
    futures = [ak.aio.submit(order.append, number) for number in range(50)]
    for one in futures:
        one.result(60)
    assert order == list(range(50))


def test_two_sessions_run_side_by_side(server):
    ak.shutdown()
    with ak.connect(server), ak.connect(server):
        inner, met = ak.arange(5), threading.Barrier(2)
        first = ak.aio.submit(met.wait, 60)
        ak.shutdown()
        second = ak.aio.submit(met.wait, 60)  # of the outer session: else neither would end
        assert {first.result(60), second.result(60)} == {0, 1}
        assert ak.aio.submit(ak.arange(5).sum).result(60) == 10
        del inner


def test_cancelling_a_task_interrupts_its_operation_on_the_server(server):
    async def program(x):
        began = asyncio.Event()
        loop = asyncio.get_running_loop()

        def sort_for_ever():
            loop.call_soon_threadsafe(began.set)
            while True:
                ak.sort(x)

        task = asyncio.create_task(ak.aio.run(sort_for_ever))
        await began.wait()
        while not task.done():  # the interrupt may come between two operations, where it does nothing
            task.cancel()
            await asyncio.sleep(0.05)

    ak.shutdown()
    with ak.connect(server):
        x = ak.random.default_rng(3).normal(size=300_000)
        asyncio.run(program(x))
        future = ak.aio.submit(x.size.__index__)
        while not future.done():
            ak.session.session.current().interrupt()
        assert future.result() == 300_000


def test_aio_has_functions_alone():
    with pytest.raises(AttributeError, match=r"atoll\.pi is no function"):
        _ = ak.aio.pi
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ak.aio.no_such_name
