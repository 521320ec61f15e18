# SPDX-License-Identifier: Apache-2.0
"""Kernels whose process is PE 0 of a job, through Jupyter's protocol: run, interrupt, restart, two at a time."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from built import ROOT, needs_core, needs_launcher

from atoll.cli import main
from atoll.jupyter import kernelspec
from atoll.jupyter.extension import report

pytestmark = needs_core


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Jupyter's data directory of this test."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    return tmp_path / "jupyter"


def test_kernel_is_installed_listed_and_removed(data, capsys):
    place = kernelspec.install(kernelspec.Kernel("big", hosts="a:8,b:8", threads=2))
    assert place == data / "kernels/atoll-big"
    found = json.loads((place / "kernel.json").read_text())
    module = ["-m", "atoll.jupyter.kernel", "--hosts", "a:8,b:8", "--threads", "2", "-f", "{connection_file}"]
    assert found["argv"] == [sys.executable, *module]
    assert found["interrupt_mode"] == "message"
    assert found["metadata"]["kernel_provisioner"]["provisioner_name"] == kernelspec.PROVISIONER
    assert main(["kernel", "list"]) == 0
    assert capsys.readouterr().out == "big: Atoll big (a:8,b:8)\n"
    assert main(["kernel", "remove", "--name", "big"]) == 0
    assert not place.exists()
    assert main(["kernel", "remove", "--name", "big"]) == 1
    assert "no kernel 'big' (installed: none)" in capsys.readouterr().err


def test_names_and_options_are_checked(data, capsys):
    with pytest.raises(ValueError, match="no name of a kernel"):
        kernelspec.install(kernelspec.Kernel("../x"))
    assert main(["kernel", "install", "--name", "x", "--hosts", "a", "--slurm", "-N 2"]) == 1
    assert "exclude one another" in capsys.readouterr().err


def test_time_report_names_operations_bytes_and_phases():
    before = {"commands": 3, "memory_peak": 5, "fft_planes_ns": 1_000_000_000}
    after = {"commands": 7, "memory_peak": 4096, "fft_planes_ns": 1_500_000_000}
    assert report(0.25, before, after, 1024).splitlines() == [
        "0.250 s, 4 operations, 1,024 bytes between PEs, 4,096 bytes at most on PE 0",
        "  fft planes: 0.500 s",
    ]


# -- through a kernel --


@pytest.fixture
def kernels(data, monkeypatch):
    """Starts kernels by name. Jupyter finds the provisioner in the metadata of an installed package."""
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    from jupyter_client.provisioning import KernelProvisionerFactory

    from atoll.jupyter.provisioner import AtollProvisioner

    class Entry:
        name = kernelspec.PROVISIONER
        value = "atoll.jupyter.provisioner:AtollProvisioner"

        def load(self):
            return AtollProvisioner

    factory = KernelProvisionerFactory.instance()
    monkeypatch.setitem(factory.provisioners, kernelspec.PROVISIONER, Entry())
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    started = []

    def start(name, **options):
        kernelspec.install(kernelspec.Kernel(name, **options))
        kernel = manager.KernelManager(kernel_name=f"atoll-{name}")
        kernel.start_kernel()
        client = kernel.blocking_client()
        client.start_channels()
        started.append((kernel, client))
        client.wait_for_ready(timeout=60)
        return kernel, client

    yield start
    for kernel, client in started:
        client.stop_channels()
        if kernel.has_kernel:
            kernel.shutdown_kernel(now=True)


def run(client, code):
    """What a cell prints; its error's name and text in the place of that if it fails."""
    printed = []

    def take(message):
        content = message["content"]
        if message["msg_type"] == "stream":
            printed.append(content["text"])
        elif message["msg_type"] in ("execute_result", "display_data"):
            printed.append(content["data"].get("text/html", content["data"]["text/plain"]))

    reply = client.execute_interactive(code, timeout=60, output_hook=take)["content"]
    return f"{reply['ename']}: {reply['evalue']}" if reply["status"] == "error" else "".join(printed)


def processes(mark):
    """Processes that have this in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in place.read_bytes():
                found.append(int(place.parent.name))
        except OSError:
            continue
    return found


SUM = "import atoll as ak\nprint(int(ak.arange(1000).sum()), ak.pes(), ak.init().kind)"


LOOP = """
x = ak.arange(10)
print("runs", flush=True)
while True:
    ak.sort(ak.random.default_rng(1).normal(size=100_000))
"""


def is_output_of(message, request):
    return message["msg_type"] == "stream" and message["parent_header"].get("msg_id") == request


@pytest.mark.slow
@needs_launcher
def test_cells_interrupt_and_restart(kernels):
    kernel, client = kernels("two", hosts="localhost:2")
    assert run(client, SUM) == "499500 2 driver\n"
    assert "<th>hosts</th><td>localhost:2</td>" in run(client, "ak.init()")
    timed = run(client, "%load_ext atoll\nget_ipython().run_cell_magic('atoll_time', '', 'ak.arange(9).sum()')")
    assert re.search(r"[0-9.]+ s, \d+ operations?, [0-9,]+ bytes between PEs", timed), timed

    # The interrupt is sent when the cell is known to run.
    message = client.execute(LOOP)
    while not is_output_of(client.get_iopub_msg(timeout=60), message):
        pass
    kernel.interrupt_kernel()
    while (reply := client.get_shell_msg(timeout=60))["parent_header"].get("msg_id") != message:
        pass
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert run(client, "print(int(x.sum()), ak.init().failed)") == "45 False\n"

    before = kernel.provisioner._mark
    assert processes(before)
    kernel.restart_kernel(now=True)
    client.wait_for_ready(timeout=60)
    assert not processes(before)
    assert run(client, "print('x' in globals())") == "False\n"
    assert run(client, SUM) == "499500 2 driver\n"
    last = kernel.provisioner._mark
    client.stop_channels()
    kernel.shutdown_kernel()
    assert not processes(last)


@pytest.mark.slow
@needs_launcher
def test_two_kernels_do_not_meet(kernels):
    _, one = kernels("one", hosts="localhost:2")
    _, other = kernels("other", pes=3)
    run(one, "x = 1")
    assert run(one, SUM) == "499500 2 driver\n"
    assert run(other, SUM) == "499500 3 driver\n"
    assert run(other, "x").startswith("NameError")


@pytest.mark.slow
@needs_launcher
def test_notebook_runs(kernels, data):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    kernelspec.install(kernelspec.Kernel("book", hosts="localhost:2"))
    cells = [nbformat.v4.new_code_cell(text) for text in (SUM, "ak.DataFrame({'a': ak.arange(3)})")]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(book, timeout=60, kernel_name="atoll-book").execute()
    assert book.cells[0].outputs[0].text == "499500 2 driver\n"
    assert "<table" in book.cells[1].outputs[0].data["text/html"]


@pytest.mark.slow
@needs_launcher
def test_kernel_that_cannot_start_is_reported(kernels, capfd):
    with pytest.raises(RuntimeError, match="died"):
        kernels("lost", hosts="localhost:1,no.such.host.invalid:1")
    assert "cannot start its PEs" in capfd.readouterr().err
    assert os.environ["PYTHONPATH"]
