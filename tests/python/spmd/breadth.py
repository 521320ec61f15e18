# SPDX-License-Identifier: Apache-2.0
"""Files, products, transforms, complex numbers and laws where every PE runs the script: PE 0 prints hashes."""

import hashlib
import sys
from pathlib import Path

import numpy as np

import atoll as ak

folder = Path(sys.argv[1])
rng = ak.random.default_rng(3)
a = ak.arange(900.0).reshape(300, 3) % 7
z = a[:, 0] + 1j * a[:, 1]
ak.save(folder / "a.npy", a)
ak.savez(folder / "both.npz", a, z=z)
ak.savetxt(folder / "a.txt", a[:20])
a.tofile(folder / "a.raw")
assert ak.array_equal(ak.load(folder / "a.npy"), a)
with ak.load(folder / "both.npz") as found:
    assert ak.array_equal(found["z"], z)
assert ak.allclose(ak.loadtxt(folder / "a.txt"), a[:20])
assert ak.array_equal(ak.fromfile(folder / "a.raw").reshape(300, 3), a)
assert np.allclose(ak.polyfit(ak.arange(100.0), 3 * ak.arange(100.0) + 1, 1).to_numpy(), [3, 1])
results = [
    rng.gamma(2.0, size=1000), rng.multinomial(5, [0.5, 0.5], 20), a.T @ a, z * z, ak.fft.fft(z), ak.sort(z),
    ak.cov(a.T), ak.linalg.inv(a.T @ a), ak.pad(a, 2, "reflect"), ak.diagonal(a), z.prod().reshape(1),
]  # fmt: skip
hashes = [hashlib.sha256(np.asarray(ak.asarray(one).to_numpy()).tobytes()).hexdigest()[:12] for one in results]
if ak.pe() == 0:
    print(*hashes)
