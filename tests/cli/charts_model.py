# SPDX-License-Identifier: MIT
"""charts_model.py FOLDER BIN TRACE: checks the charts that trace-report --format=svg has written to FOLDER.

Each picture must be XML, and show the points of the CSV file beside it: positions in pixels are a linear function of
the values, or of their logarithms. The data must be those that the analyzers print.
"""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
PIXELS = 0.06  # the pictures have two decimals, of coordinates rounded to a hundredth


def number(text):
    return float(text) if text else math.nan


def read(folder, name):
    """Returns the columns and the rows of the data; texts stay behind the numbers."""
    with open(folder / (name + ".csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert all(len(row) == len(rows[0]) for row in rows), name
    return rows[0], rows[1:]


def plots(folder, name):
    """Returns the elements of gnuplot's plots in their order."""
    root = xml.parse(folder / (name + ".svg")).getroot()
    return [group for group in root.iter(SVG + "g") if group.get("id", "").startswith("gnuplot_plot_")]


def vertices(plot):
    """Returns the vertices of each of a plot's lines."""
    found = []
    for path in plot.iter(SVG + "path"):
        points = re.findall(r"[ML]?([-\d.]+),([-\d.]+)", path.get("d"))
        found.append([(float(x), float(y)) for x, y in points])
    return found


def linear(values, places, what):
    """Checks that places are a linear function of values."""
    low, high = min(range(len(values)), key=values.__getitem__), max(range(len(values)), key=values.__getitem__)
    if values[low] == values[high]:
        assert max(places) - min(places) <= PIXELS, what
        return
    scale = (places[high] - places[low]) / (values[high] - values[low])
    assert scale, what
    for value, place in zip(values, places):
        assert abs(places[low] + scale * (value - values[low]) - place) <= 3 * PIXELS, (what, value, place)


def check_bars(folder, name):
    _, rows = read(folder, name)
    values = [number(row[0]) for row in rows[:25]]
    (plot,) = plots(folder, name)
    bars = [[tuple(map(float, point.split(","))) for point in polygon.get("points").split()]
            for polygon in plot.iter(SVG + "polygon")]
    lefts, rights = ([side(x for x, _ in bar) for bar in bars] for side in (min, max))
    assert len(bars) == len(values), (name, len(bars), len(values))
    assert max(lefts) - min(lefts) <= PIXELS, name
    linear(values, rights, name)
    assert all(value == 0 or right > left for value, left, right in zip(values, lefts, rights)), name
    tops = [min(y for _, y in bar) for bar in bars]
    assert tops == sorted(tops), name


def check_curves(folder, name, is_logarithmic):
    columns, rows = read(folder, name)
    drawn = plots(folder, name)
    assert len(drawn) == len(columns) - 1, name
    points = []  # (x, y, place) of all series, which share their axes
    for column, plot in enumerate(drawn, 1):
        series = [(number(row[0]), number(row[column])) for row in rows if row[column]]
        series = [(math.log2(x), y) for x, y in series if x > 0] if is_logarithmic else series
        places = [place for path in vertices(plot) for place in path]
        places = places[2:] if len(columns) > 2 else places  # the first two are in the key
        points.append((series, places))
    widest, places = max(points, key=lambda one: max(y for _, y in one[0]) - min(y for _, y in one[0]))
    xs, ys = [x for series, _ in points for x, _ in series], [y for series, _ in points for _, y in series]
    if max(xs) == min(xs) or max(y for _, y in widest) == min(y for _, y in widest):
        return
    first, last = widest[0], widest[-1]
    high = max(y for _, y in widest)
    low = min(y for _, y in widest)
    bottom, top = max(y for _, y in places), min(y for _, y in places)
    x_scale = (places[-1][0] - places[0][0]) / (last[0] - first[0])
    y_scale = (top - bottom) / (high - low)
    for series, all_places in points:
        for x, y in series:
            at = places[0][0] + x_scale * (x - first[0]), bottom + y_scale * (y - low)
            assert any(math.dist(at, place) <= 3 * PIXELS for place in all_places), (name, x, y, at)


def check_panels(folder, name):
    columns, rows = read(folder, name)
    panels = [column for column in range(1, len(columns)) if any(row[column] for row in rows)]
    drawn = plots(folder, name)
    assert len(drawn) == len(panels), (name, len(drawn), len(panels))
    for column, plot in list(zip(panels, drawn))[1 if panels[0] == 1 else 0:]:
        values = [(number(row[0]), number(row[column])) for row in rows if row[column]]
        places = [place for path in vertices(plot) for place in path]
        if len(places) == len(values):
            linear([x for x, _ in values], [x for x, _ in places], columns[column])
            linear([y for _, y in values], [y for _, y in places], columns[column])
        else:  # vertices between which a line is straight may be left out
            assert len(values) > len(places) > 1, (columns[column], len(values), len(places))


def check_profile(folder, name):
    columns, rows = read(folder, name)
    drawn = plots(folder, name)
    programs = len(columns) - 3
    assert len(drawn) == programs, name
    for column, plot in zip([*range(1, programs), 0], drawn):
        shares = [number(row[column]) / number(row[programs]) for row in rows
                  if row[column] and number(row[programs])]
        places = [float(re.search(r"translate\(([-\d.]+),", use.get("transform")).group(1))
                  for use in plot.iter(SVG + "use")]
        assert len(places) == len(shares) + 1, columns[column]  # the last is in the key
        linear(shares, places[:-1], columns[column])


def check_flame(folder, name):
    _, rows = read(folder, name)
    total = sum(int(row[4]) for row in rows if row[2] == "1")
    frames = [group for group in xml.parse(folder / (name + ".svg")).getroot().iter(SVG + "g")]
    wide = [row for row in rows if 1200 * int(row[4]) / total >= 0.5]
    assert len(frames) == len(wide), (name, len(frames), len(wide))
    lefts, drawn = {}, {}
    for row in rows:
        path, caller, depth, inclusive = int(row[0]), int(row[1]), int(row[2]), int(row[4])
        left = lefts.get(caller, 0)
        lefts[caller], lefts[path] = left + inclusive, left
        drawn[path] = left, depth, inclusive
    tops = []
    for row, frame in zip(wide, frames):
        left, depth, inclusive = drawn[int(row[0])]
        rectangle = frame.find(SVG + "rect")
        assert abs(float(rectangle.get("x")) - 1200 * left / total) < 0.01, row
        assert abs(float(rectangle.get("width")) - 1200 * inclusive / total) < 0.01, row
        assert frame.find(SVG + "title").text.split(": ")[-1].startswith(f"{inclusive} instructions"), row
        tops.append(float(rectangle.get("y")) + 17 * depth)
    assert len(set(tops)) == 1, name


def rows_of(command, trace, table, columns):
    out = subprocess.run([*command, "--format=json", trace], capture_output=True, check=False).stdout
    return [[row[column] for column in columns] for row in json.loads(out)[table]]


def close(found, expected):
    """The data have ten digits."""
    return len(found) == len(expected) and all(
        math.isclose(*pair, rel_tol=1e-9) for rows in zip(found, expected) for pair in zip(*rows, strict=True))


def check_data(folder, binaries, trace):
    """The data are those of the analyzers."""
    expected = rows_of([binaries + "/trace-mix", "--by=class"], trace, "classes", ["share_percent", "instructions"])
    found = [list(map(float, row[:2])) for row in read(folder, "instruction-mix")[1]]
    assert close(found, expected), "instruction-mix"
    columns, found = read(folder, "miss-ratio-curve")
    for accesses in columns[1:]:
        curve = {int(row[0]): float(row[columns.index(accesses)]) for row in found}
        expected = rows_of([binaries + "/trace-stackdist", "--accesses=" + accesses, "--cache-size=256,32Ki,1Gi"],
                           trace, "caches", ["cache_size_bytes", "miss_ratio_percent"])
        assert close([(size, curve[size]) for size, _ in expected], expected), accesses
    if not (folder / "ilp.csv").exists():
        return
    out = subprocess.run([binaries + "/trace-ilp", "--format=json", trace], capture_output=True, check=True).stdout
    found = [list(map(float, row)) for row in read(folder, "ilp")[1]]
    assert close(found, [[window, json.loads(out)[f"ipc_{window}"]] for window in (32, 64, 128, 256)]), "ilp"


def main():
    folder, binaries, trace = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    checks = {
        "instruction-mix": check_bars, "hot-functions": check_bars, "cache-misses": check_bars,
        "flame-graph": check_flame, "mica": check_profile, "phases": check_panels,
        "heap": lambda *of: check_curves(*of, False),
        "miss-ratio-curve": lambda *of: check_curves(*of, True),
        "latencies": lambda *of: check_curves(*of, True),
        "ilp": lambda *of: check_curves(*of, True),
        "branches": lambda *of: check_curves(*of, False),
    }
    names = {path.stem for path in folder.glob("*.svg")}
    assert names == {path.stem for path in folder.glob("*.csv")} and names <= set(checks), names
    for name in sorted(names):
        checks[name](folder, name)
    check_data(folder, binaries, trace)


main()
