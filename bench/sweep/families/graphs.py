"""Graphs and points: messages along edges, sums at nodes, neighbours, as graph networks have them."""

from __future__ import annotations

from typing import Any

from bench.sweep.program import Program, below, normal, ordered, uniform

#: edges, nodes, features
EDGES = ((65536, 4096, 64), (16384, 10000, 128), (33333, 1777, 33))
DENSE = ((4, 256, 64), (1, 1024, 32), (3, 333, 33))
CLOUD = ((2, 1024), (8, 256), (3, 777))
FLOAT = ("float32",)


def messages(e: int, n: int, d: int) -> Any:
    return normal(n, d), below(n, e), below(n, e)


def gcn(t: Any, x: Any, source: Any, target: Any) -> Any:
    return t.zeros_like(x).index_add(0, target, x.index_select(0, source))


def mean_of_neighbours(t: Any, x: Any, source: Any, target: Any) -> Any:
    sums = t.zeros_like(x).index_add(0, target, x.index_select(0, source))
    ones = t.ones(target.shape[0], device=x.device).type_as(x)
    counts = t.zeros(x.shape[0], device=x.device).type_as(x).index_add(0, target, ones)
    return sums / counts.clamp(1.0).unsqueeze(1)


def largest_of_neighbours(t: Any, x: Any, source: Any, target: Any) -> Any:
    rows = x.index_select(0, source)
    return t.zeros_like(x).scatter_reduce(0, target.unsqueeze(1).expand(rows.shape), rows, "amax")


def edge_softmax(t: Any, x: Any, target: Any, nodes: Any) -> Any:
    """GAT: weights of edges that sum to one at each node."""
    e = t.leaky_relu(x, 0.2).exp()
    sums = t.zeros_like(nodes).index_add(0, target, e)
    return e / (sums.index_select(0, target) + 1e-6)


def edge_mlp(t: Any, x: Any, source: Any, target: Any, w: Any, v: Any) -> Any:
    joined = t.cat((x.index_select(0, source), x.index_select(0, target)), 1)
    return (joined @ w).relu() @ v


def normalised_product(t: Any, adjacency: Any, x: Any, w: Any) -> Any:
    degree = (adjacency.sum(-1) + 1.0).rsqrt().unsqueeze(-1)
    return ((degree * (adjacency @ (degree * x))) @ w).relu()


def page_rank(t: Any, a: Any, rank: Any) -> Any:
    p = a / (a.sum(0, keepdim=True) + 1e-6)
    for _ in range(3):
        rank = 0.85 * (p @ rank) + 0.15 / a.shape[0]
    return rank


def laplacian(t: Any, a: Any) -> Any:
    degree = a.sum(-1)
    scale = (degree + 1e-6).rsqrt()
    eye = t.eye(a.shape[-1], device=a.device).type_as(a)
    return eye - scale.unsqueeze(-1) * a * scale.unsqueeze(-2)


def squared_distances(t: Any, p: Any) -> Any:
    return (p.unsqueeze(2) - p.unsqueeze(1)).square().sum(-1)


def nearest(t: Any, p: Any) -> Any:
    return (-squared_distances(t, p)).topk(8).values


def edge_features(t: Any, p: Any, at: Any) -> Any:
    """DGCNN: a point, and how its neighbours lie to it."""
    b, n, d = p.shape
    near = p.gather(1, at.reshape(b, -1, 1).expand(b, at.shape[1] * at.shape[2], d)).reshape(b, n, -1, d)
    centre = p.unsqueeze(2).expand(near.shape)
    return t.cat((centre, near - centre), -1)


def point_features(t: Any, p: Any, a: Any, b: Any) -> Any:
    """PointNet: an MLP of each point, the largest of all."""
    return ((p @ a).relu() @ b).amax(1)


def triples(t: Any, heads: Any, relations: Any, tails: Any) -> Any:
    """DistMult."""
    return ((heads * relations).unsqueeze(1) * tails).sum(-1)


def pooled(t: Any, x: Any, graph: Any, graphs: Any) -> Any:
    return t.zeros_like(graphs).index_add(0, graph, x)


def radial(t: Any, d: Any, centres: Any) -> Any:
    """SchNet's distances as Gaussians, cut off smoothly."""
    d = d * 5
    cut = 0.5 * ((d * 0.6283).cos() + 1) * (d < 5)
    return (-(d.unsqueeze(-1) - centres).square() * 10).exp() * cut.unsqueeze(-1)


PROGRAMS = (
    Program("sum of messages", messages, gcn, EDGES, FLOAT, loose=3),
    Program("mean of messages", messages, mean_of_neighbours, EDGES, FLOAT, loose=3),
    Program("largest message", messages, largest_of_neighbours, EDGES, FLOAT),
    Program("softmax over edges", lambda e, n, d: (normal(e, 8), below(n, e), normal(n, 8)), edge_softmax,
            EDGES, FLOAT, loose=3),
    Program("MLP of edges", lambda e, n,
            d: (*messages(e, n, d), normal(2 * d, 64, scale=0.1), normal(64, 64, scale=0.1)), edge_mlp,
            ((16384, 4096, 64), (4096, 10000, 128), (7777, 1777, 33))),
    Program("rows of source minus target", messages,
            lambda t, x, i, j: x.index_select(0, i) - x.index_select(0, j), EDGES),
    Program("dense graph convolution", lambda b, n,
            d: (uniform(b, n, n), normal(b, n, d), normal(d, d, scale=0.1)),
            normalised_product, DENSE),
    Program("PageRank", lambda n: (uniform(n, n), uniform(n, 1)), page_rank, ((1024,), (512,), (777,)),
            FLOAT, grows=8),
    Program("Laplacian", lambda b, n: (uniform(b, n, n),), laplacian, ((4, 512), (64, 64), (3, 333)), FLOAT),
    Program("distances of a cloud", lambda b, n: (normal(b, n, 3),), squared_distances, CLOUD, FLOAT),
    Program("8 nearest of a cloud", lambda b, n: (normal(b, n, 3),), nearest, CLOUD, FLOAT),
    Program("features of edges", lambda b, n: (normal(b, n, 32), below(n, b, n, 16)), edge_features, CLOUD),
    Program("PointNet", lambda b, n: (normal(b, n, 3), normal(3, 64), normal(64, 256, scale=0.1)),
            point_features, CLOUD),
    Program("scores of triples", lambda b, n, d: (normal(b, d), normal(b, d), normal(b, n, d)), triples,
            ((256, 64, 128), (64, 512, 32), (77, 33, 129))),
    Program("pool of graphs", lambda e, n, d: (normal(e, d), ordered(n, e), normal(n, d)), pooled,
            ((65536, 512, 64), (16384, 2048, 128), (33333, 177, 33)), FLOAT, loose=3),
    Program("radial basis", lambda n, c: (uniform(n), uniform(c)), radial,
            ((65536, 64), (16384, 300), (33333, 33)), FLOAT),
)  # fmt: skip
