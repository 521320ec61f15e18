# SPDX-License-Identifier: Apache-2.0
"""Broken frames do not crash a server, and do not make it use more memory than it may."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import atoll as ak
from atoll.serve.client.channel import Channel

_SCRIPT = Path(__file__).with_name("fuzz_frames.py")
#: `FUZZ_FRAMES=1000000` for a night.
FRAMES = int(os.environ.get("FUZZ_FRAMES", "100000"))


def _use_everything():
    rng = ak.random.default_rng(1)
    x, k = rng.random(500), rng.integers(0, 9, 500)
    assert ak.sort(x * 2 + 1).size == 500
    ak.argsort(x), ak.unique(k), ak.cumsum(x), ak.isin(k, ak.arange(3)), ak.searchsorted(ak.sort(x), x)
    k.sum(), x[k], x[x > 0.5].max(), ak.concatenate([x, x]).mean(), x.reshape(20, 25).T.sum(axis=0).to_numpy()
    (x.reshape(20, 25) @ x.reshape(25, 20)).sum()
    s = ak.array(["pear", "fig", None, "plum"] * 5)
    s.str.upper().to_list(), s.str.contains("p").to_list(), ak.sort(s.dropna()).to_list()
    frame = ak.DataFrame({"k": k, "x": x})
    frame.groupby("k")["x"].agg(["sum", "max", "median"]).to_pandas()
    frame.merge(frame.head(20), on="k").head(3).to_pandas()
    frame["x"].rolling(5).mean().to_numpy()
    ak.fft.fft(x[:64]).to_numpy()
    ak.histogram(x, bins=7)[0].to_numpy()
    y = ak.array(np.arange(30))
    y[3:9] = 1
    y[ak.array([1, 2])] = 5
    assert y.sum() > 0


@pytest.fixture(scope="module")
def corpus(server, tmp_path_factory):
    """A file of the frames that a client sends."""
    frames, send = [], Channel.send

    def recording(self, kind, body, bulk, *rest):
        frames.append((int(kind), bytes(body), b"".join(bytes(one) for one in bulk)))
        return send(self, kind, body, bulk, *rest)

    ak.shutdown()
    with pytest.MonkeyPatch.context() as patch, ak.connect(server):
        patch.setattr(Channel, "send", recording)
        _use_everything()
    path = tmp_path_factory.mktemp("fuzz") / "corpus"
    path.write_bytes(pickle.dumps(frames))
    return path


def _attack(corpus, frames, seed, pes):
    environment = {
        **os.environ, "PYTHONPATH": str(Path(ak.__file__).parents[1]), "ATOLL_MEMORY_LIMIT": "64M",
        "ATOLL_PROGRESS": "off", "PYTHONFAULTHANDLER": "1",
    }  # fmt: skip
    found = subprocess.run(
        [sys.executable, _SCRIPT, corpus, str(frames), str(seed), str(pes)], env=environment, text=True,
        capture_output=True, timeout=36_000,
    )  # fmt: skip
    last = Path(f"{corpus}.round").read_text()
    assert found.returncode == 0, f"seed and round {last}: {found.stdout[-2000:]}{found.stderr[-6000:]}"
    told = found.stdout.split()
    number = {key: int(told[told.index(key) + 1]) for key in ("served", "left", "resident")}
    assert number["served"] > frames // 8  # else most sessions end by their first frames, and little is tried
    assert number["left"] < 256 << 10, "arrays of ended sessions are left"
    assert number["resident"] < 700 << 20


@pytest.mark.slow
@pytest.mark.parametrize(("pes", "share"), [(1, 0.9), (2, 0.1)])
def test_broken_frames_crash_nothing_and_stay_within_memory(corpus, pes, share):
    _attack(corpus, int(FRAMES * share), int(os.environ.get("FUZZ_SEED", "1")), pes)
