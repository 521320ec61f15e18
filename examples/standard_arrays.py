# SPDX-License-Identifier: Apache-2.0
"""scipy's and scikit-learn's functions on distributed arrays, by the array API standard.

    python examples/standard_arrays.py --rows 100000
    atoll run -n 2 examples/standard_arrays.py

Nothing is converted: the functions call Atoll's operations on every PE's rows. Each answer is compared with that of
NumPy's arrays.
"""

import argparse
import os

os.environ["SCIPY_ARRAY_API"] = "1"  # before scipy is imported

import numpy as np
import sklearn
from scipy import fft, ndimage, signal, special, stats
from scipy.cluster import vq
from sklearn import decomposition, metrics, model_selection, preprocessing
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import atoll as ak

sklearn.set_config(array_api_dispatch=True)


def functions():
    """Name, function, and which of the arrays it takes; those whose answer is an array of Atoll's."""
    yield "special.erf", special.erf, "v"
    yield "special.gammaln", special.gammaln, "v"
    yield "special.softmax", special.softmax, "v"
    yield "stats.gmean", lambda x: stats.gmean(x, axis=0), "p"
    yield "stats.zscore", stats.zscore, "v"
    yield "fft.rfftn", fft.rfftn, "x"
    yield "fft.dct", fft.dct, "v"
    yield "signal.detrend", signal.detrend, "v"
    yield "signal.hilbert", signal.hilbert, "v"
    yield "ndimage.gaussian_filter", lambda x: ndimage.gaussian_filter(x, 1.0), "x"
    yield "cluster.vq.whiten", vq.whiten, "x"
    yield "StandardScaler", lambda x: preprocessing.StandardScaler().fit_transform(x), "x"
    yield "MinMaxScaler", lambda x: preprocessing.MinMaxScaler().fit_transform(x), "x"
    yield "Normalizer", lambda x: preprocessing.Normalizer().fit_transform(x), "x"
    yield "PCA", lambda x: decomposition.PCA(2, svd_solver="full").fit(x).explained_variance_, "x"
    yield (
        "LinearDiscriminantAnalysis",
        lambda x, y: LinearDiscriminantAnalysis().fit(x, y).predict(x),
        "xy",
    )
    yield "train_test_split", lambda x: model_selection.train_test_split(x, random_state=0)[0], "x"
    yield "cosine_similarity", lambda x: metrics.pairwise.cosine_similarity(x, x[:5, :]), "x"


def figures():
    """Those whose answer is a number."""
    yield "stats.skew", stats.skew, "v"
    yield "stats.pearsonr", lambda v, w: stats.pearsonr(v, w).statistic, "vw"
    yield "stats.ttest_1samp", lambda v: stats.ttest_1samp(v, 0.0).pvalue, "v"
    yield "accuracy_score", metrics.accuracy_score, "yy"
    yield "mean_squared_error", metrics.mean_squared_error, "vw"
    yield "r2_score", metrics.r2_score, "vw"
    yield "special.logsumexp", special.logsumexp, "v"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    rows = parser.parse_args().rows
    rng = np.random.default_rng(1)
    data = {"x": rng.normal(size=(rows, 4)), "v": rng.normal(size=rows), "w": rng.normal(size=rows)}
    data |= {"p": rng.random((rows, 4)) + 0.5, "y": rng.integers(0, 2, rows)}
    arrays = {name: ak.array(values) for name, values in data.items()}
    for calls, distributed in ((functions(), True), (figures(), False)):
        for name, function, takes in calls:
            found = function(*(arrays[one] for one in takes))
            if distributed and not isinstance(found, ak.ndarray):
                raise SystemExit(f"{name} gave a {type(found)}")
            np.testing.assert_allclose(np.asarray(found), function(*(data[one] for one in takes)), rtol=1e-7, atol=1e-9)
            if ak.pe() == 0:
                print(f"{name}: {tuple(np.shape(found))} as with NumPy's arrays")


if __name__ == "__main__":
    main()
