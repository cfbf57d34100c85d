"""Exact 3-nearest-neighbour search of many points in many small point sets.

77 objects of 1,000 points each, 3,897 queries per object: the inner loop of a hypothesis update. Ours is a
plain tensor expression; SciPy builds and queries one k-d tree per object, two objects at a time, and the
building counts because object models change while they are learned. Squared distances are compared, not
indices, because ties are common in float32.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bench.case import Array, Arrays, Case, Target, Work

K = 3


def nearest(queries: Any, nodes: Any) -> Any:
    distances, indices = ((queries[:, :, None, :] - nodes[:, None, :, :]) ** 2).sum(-1).topk(K, largest=False)
    return distances, indices


def nearest_numpy(queries: Array, nodes: Array) -> tuple[Array, Array]:
    """One object at a time; |q - n|^2 by the product form would lose digits where points are close."""
    distances = np.empty((*queries.shape[:2], K), dtype=np.float32)
    indices = np.empty((*queries.shape[:2], K), dtype=np.int64)
    for group, (query, node) in enumerate(zip(queries, nodes, strict=True)):
        table = sum((query[:, None, axis] - node[None, :, axis]) ** 2 for axis in range(3))
        best = np.argpartition(table, K, axis=1)[:, :K]
        values = np.take_along_axis(table, best, axis=1)
        order = np.argsort(values, axis=1)
        distances[group] = np.take_along_axis(values, order, axis=1)
        indices[group] = np.take_along_axis(best, order, axis=1)
    return distances, indices


def nearest_scipy(queries: Array, nodes: Array) -> tuple[Array, Array]:
    from scipy.spatial import cKDTree

    def search(group: int) -> tuple[Array, Array]:
        found: tuple[Array, Array] = cKDTree(nodes[group]).query(queries[group], k=K)
        return found

    with ThreadPoolExecutor(int(os.environ.get("OMP_NUM_THREADS", "2"))) as pool:
        results = list(pool.map(search, range(len(nodes))))
    return np.square(np.stack([r[0] for r in results])), np.stack([r[1] for r in results])


def nearest_torch(queries: Any, nodes: Any) -> Any:
    """By object: eager torch would otherwise store tables of 3.6 GB. Compiled, it need not."""
    import torch

    found = [
        ((query[:, None, :] - node[None, :, :]) ** 2).sum(-1).topk(K, largest=False)
        for query, node in zip(queries, nodes, strict=True)
    ]
    return torch.stack([f.values for f in found]), torch.stack([f.indices for f in found])


def nearest_jax(queries: Any, nodes: Any) -> Any:
    import jax

    def search(pair: Any) -> Any:
        query, node = pair
        negative, indices = jax.lax.top_k(-((query[:, None, :] - node[None, :, :]) ** 2).sum(-1), K)
        return -negative, indices

    return jax.lax.map(search, (queries, nodes))


def nearest_inputs(rng: np.random.Generator, quick: bool) -> Arrays:
    """Points on bumpy surfaces about as large as the unit sphere, and queries that were moved off them by
    0.3.

    That is what a hypothesis update asks: a point of the model, moved by the sensor's displacement under a
    rotation that is mostly wrong. (A k-d tree is a fifth faster when the queries stay on the surface, a
    quarter slower at 0.6.)
    """
    groups, queries, count = (4, 500, 1000) if quick else (77, 3897, 1000)
    directions = unit_vectors(rng, (groups, count))
    nodes = directions * (1 + 0.2 * np.sin(5 * directions).sum(-1, keepdims=True))
    chosen = rng.integers(0, count, (groups, queries, 1))
    moved = np.take_along_axis(nodes, chosen, axis=1) + 0.3 * unit_vectors(rng, (groups, queries))
    return moved.astype(np.float32), nodes.astype(np.float32)


def unit_vectors(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    vectors = rng.standard_normal((*shape, 3))
    result: Array = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return result


def nearest_work(arrays: Arrays) -> Work:
    queries, nodes = arrays
    count = queries.shape[0] * queries.shape[1]
    # Three differences, three squares, two additions and one comparison per pair.
    return Work(
        reads=queries.nbytes + nodes.nbytes,
        writes=count * K * 8,
        flops=9 * count * nodes.shape[1],
        items=count,
        item="queries",
    )


NEIGHBOURS = Case(
    name="neighbours",
    title="exact 3-NN, 77 x (3,897 against 1,000)",
    inputs=nearest_inputs,
    work=nearest_work,
    programs={
        "saccade": nearest,
        "numpy": nearest_numpy,
        "scipy": nearest_scipy,
        "torch": nearest_torch,
        "torch.compile": nearest,
        "jax": nearest_jax,
    },
    target=Target(ratio=3.0, against=("scipy",)),
)
