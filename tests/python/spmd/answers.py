# SPDX-License-Identifier: Apache-2.0
"""Every PE runs this and gets the same answers; PE 0 prints a digest of all of them."""

import hashlib

import numpy as np

import atoll as ak

rng = ak.random.default_rng(7)
x, k = rng.normal(0, 10, 10_007), rng.integers(0, 50, 10_007)
digest = hashlib.sha256()


def answer(*values):
    for value in values:
        digest.update(np.asarray(value.to_numpy() if isinstance(value, ak.ndarray) else value).tobytes())


answer(x.sum(), (x * 2 + k).mean(), x.min(), x.argmax(), ak.cumsum(x))
answer(
    ak.sort(x), ak.argsort(k), ak.coargsort([k, x]), *ak.unique(k, return_counts=True), *ak.unique(k, True, True)[1:]
)
answer(x[k], x[::-3], x[x > 5], x[5:5000].reshape(45, -1).T)
x[k] = 0.5
x[100:200] += 1
x[x < -20] = -20
answer(x, ak.histogram(x, 20)[0], ak.bincount(k, weights=x), ak.median(x), ak.isin(k, [3, 4]))
rows = ak.from_local(np.arange(ak.pe() + 1))
assert rows.size == ak.pes() * (ak.pes() + 1) // 2
assert rows.sum() == sum(n * (n + 1) // 2 for n in range(ak.pes()))
mine = ak.arange(1000).local()
assert ak.from_local(mine).to_numpy().tolist() == list(range(1000))
for wrong in (lambda: x[20_000], lambda: ak.arange(3) + ak.arange(4), lambda: x[[1, 10_007]]):
    try:
        wrong()
    except (IndexError, ValueError):
        pass
    else:
        raise AssertionError("no error")
answer(x, repr(x[:2000]).encode())
words = ak.strings(k)
answer(words.argsort(), *ak.unique(words, True, True)[1:], words.str.len())
answer("|".join(words.str.replace("1", "eins").sort().to_list()).encode())
assert ak.array(["b", None, "a"]).sort().to_list() == ["a", "b", None]
pieces = (words + "-" + words).str.split("-", expand=False)
answer("|".join(pieces[k].str.join("+").to_list()).encode(), pieces.lengths, pieces.unique().lengths)
names = ak.Categorical(words)
answer(ak.groupby(names).sum(x), names.sort().codes, ak.join(names, words[:9]).left)
wide = ak.bigint(k) ** 30
answer(wide.argsort(), repr([wide.sum(), ak.decimals(k).sum(), ak.ip_address(k).max()]).encode())
answer(words.str.encode("utf-16-le").argsort())
seedless = ak.random.default_rng().random(3)
assert ak.from_local(seedless.to_numpy()).reshape(-1, 3).max(axis=0).tolist() == seedless.tolist()
if ak.pe() == 0:
    print(digest.hexdigest())
