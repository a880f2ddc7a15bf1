# SPDX-License-Identifier: MIT
"""charts_model.py FOLDER BIN TRACE [OTHER-TRACE]: checks the charts that trace-report --format=svg has written to FOLDER.

Each picture must be XML, and show the points of the CSV file beside it: positions in pixels are a linear function of
the values, or of their logarithms. The data must be those that the analyzers print.
"""
import collections
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
METRICS = "--metric=instructions,misses:L1,misses:L2,misses:L3,cycles"


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


def check_changes(folder, name):
    """Bars begin at 0, which is at the same place for all of them, and increases are of another colour."""
    _, rows = read(folder, name)
    values = [number(row[0]) for row in rows[:25] if row[0]]
    (plot,) = plots(folder, name)
    bars = []
    for polygon in plot.iter(SVG + "polygon"):
        corners = [tuple(map(float, point.split(","))) for point in polygon.get("points").split()]
        bars.append((min(x for x, _ in corners), max(x for x, _ in corners), min(y for _, y in corners)))
    assert len(bars) == len(values), (name, len(bars), len(values))
    assert [top for _, _, top in bars] == sorted(top for _, _, top in bars), name
    zeros = [left if value > 0 else right for value, (left, right, _) in zip(values, bars) if value]
    assert max(zeros, default=0) - min(zeros, default=0) <= 2 * PIXELS, (name, zeros)
    linear(values, [right if value > 0 else left for value, (left, right, _) in zip(values, bars)], name)


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


def check_differential(folder, name):
    """Frames are as wide as in one trace, and red, blue or grey by the change of their own instructions."""
    _, rows = read(folder, name)
    side = name.endswith("-second")
    values = [[int(value or 0) for value in row[:7]] for row in rows]
    total = sum(row[5 + side] for row in values if row[2] == 1)
    frames = list(xml.parse(folder / (name + ".svg")).getroot().iter(SVG + "g"))
    lefts, expected = {}, []
    for path, caller, depth, own_a, own_b, *both in values:
        left, width = lefts.get(caller, 0), both[side]
        lefts[caller], lefts[path] = left + width, left
        if 1200 * width / total >= 0.5:
            expected.append((left, width, depth, own_b - own_a, both))
    assert len(frames) == len(expected), (name, len(frames), len(expected))
    most = max(abs(row[4] - row[3]) for row in values)
    tops = set()
    for (left, width, depth, change, both), frame in zip(expected, frames):
        rectangle = frame.find(SVG + "rect")
        assert abs(float(rectangle.get("x")) - 1200 * left / total) < 0.01, name
        assert abs(float(rectangle.get("width")) - 1200 * width / total) < 0.01, name
        assert f": {both[0]} instructions, then {both[1]};" in frame.find(SVG + "title").text, name
        assert frame.find(SVG + "title").text.endswith(f"({change:+d})"), name
        red, green, blue = bytes.fromhex(rectangle.get("fill")[1:])
        pale = 255 - 205 * math.sqrt(abs(change) / most) if most else 0
        wanted = (255, pale, pale) if change > 0 else (pale, pale, 255) if change else (242, 242, 242)
        assert all(abs(a - b) <= 1 for a, b in zip((red, green, blue), wanted)), (name, change, rectangle.get("fill"))
        tops.add(float(rectangle.get("y")) + 17 * depth)
    assert len(tops) == 1, name


def check_pair(folder, binaries, trace, other):
    """The data of the comparison are those of trace-compare."""
    out = subprocess.run([binaries + "/trace-compare", "--quiet", "--format=json", METRICS, trace, other], capture_output=True,
                         check=True).stdout
    compare = json.loads(out)
    for name, key in ("functions", "instructions"), ("cycles", "cycles"), ("l1-misses", "misses_L1"), ("l3-misses", "misses_L3"):
        changed = [row for row in compare["functions"] if row.get(key + "_change")]
        changed.sort(key=lambda row: -abs(row[key + "_change"]))
        expected = [[row[key + end] for end in ("_change", "_a", "_b")] for row in changed]
        found = [[int(value) if value else None for value in row[:3]] for row in read(folder, "compared-" + name)[1]]
        assert found == expected, name
    found = [list(map(float, row)) for row in read(folder, "compared-phases")[1]]
    assert close(found, [[i, row["distance_percent"]] for i, row in enumerate(compare["phases"])]), "phases"
    found = [row[7] for row in read(folder, "compared-paths-first")[1]]
    assert found == [row["function"] for row in compare["call_paths"]], "paths"


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
    if (folder / "system-calls.csv").exists():
        expected = rows_of([binaries + "/trace-calls", "--syscalls", "--top=50"], trace, "system_calls",
                           ["calls", "errors", "elapsed"])
        assert close([list(map(float, row[:3])) for row in read(folder, "system-calls")[1]], expected), "system-calls"
    if (folder / "reuse-distances.csv").exists():
        reuses = collections.Counter()
        out = subprocess.run([binaries + "/trace-slo", "--histogram", "--top=1000000", "--format=json", trace],
                             capture_output=True, check=True).stdout
        for row in json.loads(out)["kinds"]:
            reuses[row["distance_from"]] += row["reuses"]
        found = {int(row[0]): sum(map(int, row[1:])) for row in read(folder, "reuse-distances")[1]}
        assert all(found.get(distance, 0) == n for distance, n in reuses.items()), (found, reuses)
        assert sum(found.values()) == sum(reuses.values()), "reuse-distances"
    if not (folder / "ilp.csv").exists():
        return
    out = subprocess.run([binaries + "/trace-ilp", "--format=json", trace], capture_output=True, check=True).stdout
    found = [list(map(float, row)) for row in read(folder, "ilp")[1]]
    assert close(found, [[window, json.loads(out)[f"ipc_{window}"]] for window in (32, 64, 128, 256)]), "ilp"


def main():
    folder, binaries, traces = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    checks = {
        "instruction-mix": check_bars, "hot-functions": check_bars, "cache-misses": check_bars,
        "flame-graph": check_flame, "mica": check_profile, "phases": check_panels,
        "heap": lambda *of: check_curves(*of, False),
        "miss-ratio-curve": lambda *of: check_curves(*of, True),
        "latencies": lambda *of: check_curves(*of, True),
        "ilp": lambda *of: check_curves(*of, True),
        "branches": lambda *of: check_curves(*of, False),
        "reuse-distances": lambda *of: check_curves(*of, True),
        "locality-advice": check_bars, "system-calls": check_bars,
        "compared-totals": check_changes, "compared-functions": check_changes,
        "compared-cycles": check_changes,
        "compared-l1-misses": check_changes, "compared-l2-misses": check_changes, "compared-l3-misses": check_changes,
        "compared-phases": lambda *of: check_curves(*of, False),
        "compared-paths-first": check_differential, "compared-paths-second": check_differential,
    }
    names = {path.stem for path in folder.glob("*.svg")}
    assert names == {path.stem for path in folder.glob("*.csv")} and names <= set(checks), names
    for name in sorted(names):
        checks[name](folder, name)
    if "instruction-mix" in names:
        check_data(folder, binaries, traces[0])
    if len(traces) > 1:
        check_pair(folder, binaries, *traces)


main()
