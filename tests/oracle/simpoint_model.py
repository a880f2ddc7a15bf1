#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A slow model of SimPoint 3.2's choices, written only from its behaviour: the oracle of trace-simpoint
--compat=simpoint3. On seven inputs its points and weights were those of SimPoint 3.2 itself.

usage: simpoint_model.py F.bb PREFIX [name=value ...]
Writes PREFIX.simpts, .weights and .labels, and PREFIX.simpts.run_R_k_K and so on for each run.
Options: maxK, k (list with commas), numInitSeeds, iters, dim, initkm, bicThreshold, fixedLength, seedkm, seedproj.
"""
import math
import struct
import sys


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


class Random:
    """L'Ecuyer's combined generator with a Bays-Durham shuffle, by Schrage's method."""

    def __init__(self, seed):
        self.first = -seed if seed > 1 else seed
        self.second, self.last, self.shuffle = 123456789, 0, [0] * 32

    def step_first(self):
        k = self.first // 53668
        self.first = 40014 * (self.first - k * 53668) - k * 12211
        if self.first < 0:
            self.first += 2147483563

    def unit(self):
        if self.first <= 0:
            self.first = max(-self.first, 1)
            self.second = self.first
            for j in range(39, -1, -1):
                self.step_first()
                if j < 32:
                    self.shuffle[j] = self.first
            self.last = self.shuffle[0]
        self.step_first()
        k = self.second // 52774
        self.second = 40692 * (self.second - k * 52774) - k * 3791
        if self.second < 0:
            self.second += 2147483399
        j = self.last // 67108862
        self.last = self.shuffle[j] - self.second
        self.shuffle[j] = self.first
        if self.last < 1:
            self.last += 2147483562
        t = single((1.0 / 2147483563) * self.last)
        return single(1.0 - 1.2e-7) if t > 1.0 - 1.2e-7 else t

    def integer(self):
        return int(single(self.unit() * 2147483648.0))


def load(name):
    rows = []
    for line in open(name):
        if not line.startswith("T"):
            continue
        if not line.endswith("\n"):
            break
        row = [tuple(map(float, pair.split(":")[1:3])) for pair in line[1:].split()]
        if not row:
            break
        rows.append([(int(d), v) for d, v in row])
    return rows


def project(rows, dim, seed):
    random = Random(seed)
    matrix = [[random.unit() * 2.0 - 1.0 for _ in range(dim)]
              for _ in range(max(d for row in rows for d, _ in row))]
    points = []
    for row in rows:
        total = 0.0
        for _, v in row:
            total += v
        x = [0.0] * dim
        for d, v in row:
            for c in range(dim):
                x[c] += v / total * matrix[d - 1][c]
        points.append(x)
    return points


def squared(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += (x - y) * (x - y)
    return total


def nearest(x, centres):
    best, distance = 0, None
    for k, centre in enumerate(centres):
        d = squared(x, centre)
        if distance is None or d < distance:
            best, distance = k, d
    return best, distance


def furthest_first(points, k, random):
    centres = [points[random.integer() % len(points)][:]]
    while len(centres) < k:
        distances = [nearest(x, centres)[1] for x in points]
        centres.append(points[distances.index(max(distances))][:])
    return centres


def kmeans(points, weights, centres, limit):
    dim, old, old_weights = len(points[0]), [c[:] for c in centres], [0.0] * len(centres)
    previous = old, old_weights
    for _ in range(limit):
        new, new_weights = [[0.0] * dim for _ in centres], [0.0] * len(centres)
        for x, w in zip(points, weights):
            k, _ = nearest(x, old)
            for j in range(dim):
                new[k][j] += x[j] * w
            new_weights[k] += w
        for k, w in enumerate(new_weights):
            if w > 0:
                new[k] = [v / w for v in new[k]]
        if new == old:
            return new, new_weights
        previous = old, old_weights
        old, old_weights = new, new_weights
    return previous     # as SimPoint: those of the iteration before the last


def bic(points, weights, centres, centre_weights):
    n, dim, k = len(points), len(points[0]), len(centres)
    labels, squares, total = [], 0.0, 0.0
    for x, w in zip(points, weights):
        label, d = nearest(x, centres)
        labels.append(label)
        squares += d * w
        total += w
    variance = squares / (total / n) / (dim * n)
    if variance == 0:
        return math.inf
    score = -dim * (math.log(2 * 3.14159265358979 * variance) + 1) / 2 - math.log(total)
    for label, w in zip(labels, weights):
        if centre_weights[label] > 0:
            score += math.log(centre_weights[label]) * w / total
    return score * n - ((k - 1) + k * dim + 1) / 2.0 * math.log(n)


def write(prefix, suffix, points, centres, centre_weights):
    found, total = {}, sum(w for w in centre_weights if w > 0)
    with open(prefix + ".labels" + suffix, "w") as out:
        for i, x in enumerate(points):
            label, d = nearest(x, centres)
            d = math.sqrt(d)
            out.write("%d %g\n" % (label, d))
            if label not in found or d < found[label][0]:
                found[label] = d, i
    chosen = [k for k, w in enumerate(centre_weights) if w > 0 and k in found]
    with open(prefix + ".simpts" + suffix, "w") as out:
        out.writelines("%d %d\n" % (found[k][1], k) for k in chosen)
    with open(prefix + ".weights" + suffix, "w") as out:
        out.writelines("%g %d\n" % (centre_weights[k] / total, k) for k in chosen)


def main():
    o = dict(maxK=30, k=None, numInitSeeds=5, iters=100, dim=15, initkm="samp", bicThreshold=0.9,
             fixedLength="on", seedkm=493575226, seedproj=2042712918)
    for word in sys.argv[3:]:
        name, value = word.split("=")
        o[name] = value if isinstance(o[name], str) or name == "k" else type(o[name])(value)
    rows = load(sys.argv[1])
    points = project(rows, o["dim"], o["seedproj"])
    n = len(points)
    weights = [1.0 / n] * n
    if o["fixedLength"] == "off":
        sums = []
        for row in rows:
            total = 0.0
            for _, v in row:
                total += v
            sums.append(total)
        total = 0.0
        for v in sums:
            total += v
        weights = [v / total for v in sums]
    ks = [int(k) for k in o["k"].split(",")] if o["k"] else [1, o["maxK"], (o["maxK"] + 1) // 2]
    low, high, base, runs, r, best, worst = 1, o["maxK"], o["seedkm"], [], 0, 0, 0
    while r < len(ks):
        run = None
        for s in range(o["numInitSeeds"]):
            random = Random(base + s)
            if o["initkm"] == "ff":
                centres = furthest_first(points, ks[r], random)
            else:
                centres = [points[random.integer() % n][:] for _ in range(ks[r])]
            centres, centre_weights = kmeans(points, weights, centres, o["iters"])
            score = bic(points, weights, centres, centre_weights)
            if run is None or score > run[0]:
                run = score, centres, centre_weights
            base += 1
        runs.append(run)
        best = r if run[0] > runs[best][0] else best
        worst = r if run[0] < runs[worst][0] else worst
        needed = runs[worst][0] + (runs[best][0] - runs[worst][0]) * o["bicThreshold"]
        if r >= 2 and not o["k"]:
            if best > worst and run[0] < needed:
                k, low = (ks[r] + high) // 2, ks[r]
            else:
                k, high = (ks[r] + low) // 2, ks[r]
            if high - low > 1:
                ks.append(k)
        r += 1
    scores = [run[0] for run in runs]
    needed = (max(scores) - min(scores)) * o["bicThreshold"] + min(scores)
    chosen = min((k, i) for i, k in enumerate(ks) if scores[i] >= needed)[1]
    for i, run in enumerate(runs):
        write(sys.argv[2], ".run_%d_k_%d" % (i + 1, ks[i]), points, run[1], run[2])
    write(sys.argv[2], "", points, runs[chosen][1], runs[chosen][2])


main()
