#!/usr/bin/python3
"""warm_counts.py WARM WHOLE BEFORE NAME...: results in JSON of a slice with its warm-up, of all of the slice, and of its
warm-up alone. Of each number NAME, in the order of the results, the first must be the difference of the others: then the
warm-up was simulated, and not counted. Prints how many numbers were compared."""
import json
import sys


def numbers(value, names):
    if isinstance(value, dict):
        for key, member in value.items():
            if key in names and isinstance(member, int):
                yield key, member
            else:
                yield from numbers(member, names)
    elif isinstance(value, list):
        for member in value:
            yield from numbers(member, names)


def load(path, names):
    with open(path) as file:
        return list(numbers(json.load(file), names))


warm, whole, before = (load(path, sys.argv[4:]) for path in sys.argv[1:4])
assert warm and len(warm) == len(whole) == len(before), f"{len(warm)}, {len(whole)} and {len(before)} numbers"
for (name, counted), (_, all_), (_, first) in zip(warm, whole, before):
    assert counted == all_ - first, f"{name}: {counted}, not {all_} - {first}"
print(len(warm))
