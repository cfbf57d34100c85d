"""Try scikit-learn and SciPy with our tensors: each call beside the same call on NumPy's arrays.

    python -m tests.peers.libraries [part of a name]

They have to be installed. A line for each call, and the exit status 1 if one fails, differs or returns
something else than tensors. It is a process of its own: SciPy reads SCIPY_ARRAY_API when it is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np

from saccade import Tensor

Array = np.ndarray[Any, Any]
#: makes an array of NumPy's ours, or leaves it as it is
Made = Callable[[Array], Any]
Case = tuple[str, Callable[[Made], Any]]

random = np.random.default_rng(0)
X, Y = random.standard_normal((40, 5)), random.standard_normal((30, 5))
TARGET = X @ random.standard_normal(5) + 0.1 * random.standard_normal(40)
LABELS, GUESSES = random.integers(0, 3, 40), random.integers(0, 3, 40)


def calls(module: Any, names: str, *arrays: Array, **options: Any) -> Iterator[Case]:
    """Functions of a module, each called with the same arrays."""
    for name in names.split():
        yield name, lambda made, name=name: getattr(module, name)(*map(made, arrays), **options)


def sklearn_cases() -> Iterator[Case]:
    from sklearn import metrics, preprocessing
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import Ridge
    from sklearn.metrics import pairwise

    def pca(made: Made, solver: str) -> Any:
        fitted = PCA(3, svd_solver=solver, random_state=0).fit(made(X))
        return [fitted.explained_variance_, fitted.inverse_transform(fitted.transform(made(X)))]

    def discriminants(made: Made) -> Any:
        return LinearDiscriminantAnalysis().fit(made(X), made(LABELS)).predict_proba(made(X))

    for solver in ("full", "covariance_eigh", "randomized"):
        yield f"PCA {solver}", lambda made, solver=solver: pca(made, solver)
    yield "Ridge", lambda made: Ridge(solver="svd").fit(made(X), made(TARGET)).predict(made(X))
    yield "LinearDiscriminantAnalysis", discriminants
    for name in (
        "StandardScaler",
        "MinMaxScaler",
        "MaxAbsScaler",
        "Normalizer",
        "Binarizer",
        "PolynomialFeatures",
    ):
        yield name, lambda made, name=name: getattr(preprocessing, name)().fit_transform(made(X))
    yield "KernelCenterer", lambda made: preprocessing.KernelCenterer().fit_transform(made(X @ X.T))
    distances = (
        "euclidean_distances cosine_distances manhattan_distances pairwise_distances cosine_similarity"
    )
    kernels = "rbf_kernel linear_kernel polynomial_kernel sigmoid_kernel laplacian_kernel"
    yield from calls(pairwise, f"{distances} {kernels}", X, Y)
    paired = "paired_euclidean_distances paired_cosine_distances paired_manhattan_distances"
    yield from calls(pairwise, paired, X, X[::-1].copy())
    yield from calls(metrics, "accuracy_score zero_one_loss confusion_matrix", LABELS, GUESSES)
    yield from calls(metrics, "r2_score mean_squared_error mean_absolute_error", TARGET, TARGET * 1.1)


def scipy_cases() -> Iterator[Case]:
    from scipy import integrate, special, stats
    from scipy.cluster import vq
    from scipy.spatial.transform import Rotation

    positive = np.abs(X) + 0.1
    yield from calls(stats, "zscore skew kurtosis sem variation iqr rankdata lmoment moment describe", X)
    yield from calls(stats, "gmean hmean entropy circmean circvar circstd", positive)
    yield from calls(stats, "normaltest skewtest kurtosistest jarque_bera", X)
    yield from calls(stats, "zmap ttest_ind bartlett levene fligner mannwhitneyu kruskal", X, Y)
    yield from calls(stats, "ttest_rel pearsonr", X, X**3)
    yield from calls(stats, "ttest_1samp", X, popmean=0.0)
    yield from calls(stats, "pmean", positive, p=2.0)
    yield from calls(stats, "quantile", X, p=0.25, axis=0)
    yield from calls(special, "logsumexp softmax log_softmax", X, axis=1)
    yield from calls(special, "erf gammaln expit", positive)
    yield from calls(integrate, "trapezoid", X, axis=0)
    yield from calls(vq, "whiten", X)
    yield from calls(vq, "vq", X, Y)
    yield "Rotation", lambda made: Rotation.from_quat(made(X[:, :4])).apply(made(X[:, :3]))


def parts_of(found: Any) -> list[Any]:
    """Arrays and numbers of a result, which may have several by position or by name."""
    if hasattr(found, "statistic") and not isinstance(found, tuple):
        return [found.statistic, found.pvalue]
    return (
        [each for part in found for each in parts_of(part)] if isinstance(found, (tuple, list)) else [found]
    )


def fault(case: Callable[[Made], Any]) -> str:
    """What is wrong with a call, "" if nothing is."""
    expected = parts_of(case(lambda array: array))
    try:
        found = parts_of(case(lambda array: Tensor(array)))
    except (TypeError, ValueError, AttributeError, IndexError, RuntimeError) as failure:
        return f"{type(failure).__name__}: {failure}"
    for ours, theirs in zip(found, expected, strict=True):
        single = np.ndim(theirs) == 0  # libraries give plain numbers where there is one
        if not isinstance(ours, Tensor) and not single:
            return f"it returns {type(ours).__name__}"
        value = ours.numpy() if isinstance(ours, Tensor) else np.asarray(ours)
        if value.shape != np.shape(theirs):
            return f"its shape is {value.shape}, not {np.shape(theirs)}"
        if not np.allclose(value, theirs, rtol=1e-6, atol=1e-8):
            return f"it differs by up to {np.abs(value - theirs).max():.1e}"
    return ""


def main(arguments: list[str]) -> int:
    import sklearn

    failed = 0
    with sklearn.config_context(array_api_dispatch=True):
        for library, cases in (("sklearn", sklearn_cases()), ("scipy", scipy_cases())):
            for name, case in cases:
                if all(part in name for part in arguments):
                    told = fault(case)
                    failed += bool(told)
                    print(f"{library:8} {name:28} {told or 'ok'}"[:200], flush=True)
    print(f"{failed} failed")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
