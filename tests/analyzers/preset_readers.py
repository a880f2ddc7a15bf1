# SPDX-License-Identifier: MIT
"""preset_readers.py READER ARGUMENT...: reads simulation points as READER does, written from descriptions of it."""
import re
import sys


def pairs(points, weights):
    """Two files whose lines belong together; the clusters must be the same, line by line."""
    found = []
    with open(points) as first, open(weights) as second:
        for point, weight in zip(first.readlines(), second.readlines(), strict=True):
            (interval, cluster), (share, same) = point.split(), weight.split()
            assert cluster == same
            found.append((int(interval), float(share), int(cluster)))
    assert len({cluster for _, _, cluster in found}) == len(found) > 1
    assert abs(sum(share for _, share, _ in found) - 1) < 1e-4
    return found


def gem5(points, weights):
    """SimpointDirectoryResource: in step, a blank line raises."""
    for name in points, weights:
        with open(name) as file:
            assert all(line.strip() for line in file)
    pairs(points, weights)


def gem5_checkpoints(points, weights):
    for name, form in (points, r"\d+ \d+\n"), (weights, r"[0-9.e-]+ \d+\n"):
        with open(name) as file:
            assert all(re.fullmatch(form, line) for line in file)


def nemu(folder):
    found = pairs(f"{folder}/simpoints0", f"{folder}/weights0")
    assert len({interval for interval, _, _ in found}) == len(found), "two points in one interval lose one"


def scarab(folder, size):
    weights = {}
    with open(f"{folder}/simpoints/opt.w.lpt0.99") as file:
        for line in file.read().split("\n")[:-1]:
            weight, cluster = line.split(" ")
            weights[cluster] = float(weight)
    with open(f"{folder}/simpoints/opt.p.lpt0.99") as file:
        points = [line.split(" ") for line in file.read().split("\n")[:-1]]
    assert len(points) == len(weights) and abs(sum(weights[cluster] for _, cluster in points) - 1) < 1e-4
    all_points = pairs(f"{folder}/simpoints/opt.p", f"{folder}/simpoints/opt.w")
    heavy = [share for interval, share, _ in all_points if str(interval) in {interval for interval, _ in points}]
    assert sum(heavy) >= 0.99 - 1e-4 > sum(sorted(heavy)[1:])
    with open(f"{folder}/fingerprint/segment_size") as file:
        assert int(file.read()) == int(size)
    with open(f"{folder}/simpoints/vector.w") as vectors, open(f"{folder}/simpoints/opt.l") as labels:
        assert len(vectors.readlines()) == len(labels.readlines())


globals()[sys.argv[1]](*sys.argv[2:])
