"""An independent model of the statistics of a suite: suite_model.py FOLDER [made-up]. FOLDER has the results of
trace-analyze --all --suite; with the word "made-up" the results of the analyzers are first replaced by numbers made up,
with six groups of traces, and this program ends. The metrics are compared with the analyzers' results, and the statistics with their
definitions: nothing here is computed as trace-analyze computes it. Prints a line for each check, as lib.sh does."""
import csv
import json
import math
import os
import random
import sys

folder = sys.argv[1]
with open(os.path.join(folder, "suite.json")) as file:
    suite = json.load(file)
with open(os.path.join(folder, "suite.csv"), newline="") as file:
    rows = list(csv.reader(file))


def check(name, good):
    print(("ok " if good else "not ok ") + "model." + name)


def near(a, b, by=1e-9):
    if a is None or b is None:
        return a is None and b is None
    return abs(a - b) <= by * max(1, abs(a), abs(b))


def result(trace, analyzer):
    try:
        with open(os.path.join(folder, trace, analyzer + ".json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


# ---- results that are made up ----

def make_up(trace, group):
    """Changes each number of a trace's results by the same factor as that of other traces of the group, almost."""
    for analyzer in ("itypes", "ilp", "reg", "stride", "ppm", "footprint"):
        values = result("p0", analyzer)
        for i, (fact, value) in enumerate(sorted(values.items())):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                factor = 1 + random.Random(f"{fact} {group}").random() + random.Random(f"{fact} {trace}").random() / 20
                values[fact] = (value + i + 1) * factor
        with open(os.path.join(folder, trace, analyzer + ".json"), "w") as out:
            json.dump(values, out)


if sys.argv[2:] == ["made-up"]:
    for i, row in reversed(list(enumerate(suite["traces"]))):
        make_up(row["trace"], i % 6)
    with open(os.path.join(folder, "made-up"), "w"):
        sys.exit()

# ---- metrics ----

def share(trace, analyzer, fact, of):
    found = result(trace, analyzer)
    if fact not in found:
        return None
    return 100 * found[fact] / found[of] if found[of] else 0.0


def expected(trace, metric):
    analyzer, fact = metric.split("_", 1)
    if analyzer == "itypes":
        return share(trace, analyzer, fact, "executions")
    if analyzer == "ppm":
        return share(trace, analyzer, fact, "branches")
    if analyzer == "stride":
        return share(trace, analyzer, fact, fact.split("_")[0])
    if fact.startswith("age"):
        return share(trace, analyzer, fact, "uses")
    if fact.startswith("bytes") or fact == "cycles_of_all_threads":
        value = share(trace, analyzer, fact, "instructions")
        return value and value / 100
    if analyzer == "cache":
        levels = [row for row in result(trace, analyzer).get("levels", []) if row["level"].lower() + "_misses" == fact]
        return levels[0]["mpki"] if levels else None
    return result(trace, analyzer).get(fact)


metrics = [head.split(" [")[0] for head in rows[0]][1:]
check("units", all("[" in head for head in rows[0][1:]))
check("csv", all((cell or "null") == json.dumps(suite["metrics"][i][metrics[j]]) or
                 near(float(cell), suite["metrics"][i][metrics[j]])
                 for i, row in enumerate(rows[1:]) for j, cell in enumerate(row[1:])))
wrong = [(row["trace"], metric) for row in suite["metrics"] for metric in metrics
         if not near(row[metric], expected(row["trace"], metric))]
check("metrics", not wrong)
if wrong:
    print("#", wrong[:5])
mica = [metric for metric in metrics if metric.split("_")[0] in ("itypes", "ilp", "reg", "stride", "ppm", "footprint")]
check("characteristics", len(mica) == 69)

# ---- what takes part ----
values = {row["trace"]: row for row in suite["metrics"]}
names = [name for name in values if 2 * sum(values[name][m] is not None for m in mica) >= 69]
check("traces", names == [row["trace"] for row in suite["traces"] if row["in_statistics"]])
n = len(names)
used = []
for metric in mica:
    column = [values[name][metric] for name in names]
    if None in column:
        continue
    mean = math.fsum(column) / n
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / (n - 1))
    if deviation > 1e-12 * abs(mean):
        used.append((metric, mean, deviation))
check("used", [row["characteristic"] for row in suite["characteristics"]] == [metric for metric, _, _ in used])
check("normalised", all(near(row["mean"], mean) and near(row["standard_deviation"], deviation)
                        for row, (_, mean, deviation) in zip(suite["characteristics"], used)))
dim = len(used)
z = [[(values[name][metric] - mean) / deviation for metric, mean, deviation in used] for name in names]

# ---- principal components: eigenvectors of the correlation matrix, and all of its eigenvalues ----
matrix = [[math.fsum(point[a] * point[b] for point in z) / (n - 1) for b in range(dim)] for a in range(dim)]
kept = suite["components_kept"]
variances = [row["variance"] for row in suite["components"]]
vectors = [[row[f"pc{c + 1}"] for row in suite["characteristics"]] for c in range(kept)]
check("components.sum", near(math.fsum(variances), dim, 1e-8))
check("components.squares", near(math.fsum(v * v for v in variances),
                                 math.fsum(x * x for row in matrix for x in row), 1e-8))
check("components.order", variances == sorted(variances, reverse=True))
check("components.vectors", all(
    near(math.fsum(a * b for a, b in zip(row, vector)), variances[c] * vector[i], 1e-7)
    for c, vector in enumerate(vectors) for i, row in enumerate(matrix)))
check("components.length", all(near(math.fsum(x * y for x, y in zip(a, b)), float(a is b), 1e-9)
                               for a in vectors for b in vectors))
check("components.sign", all(max(vector, key=abs) > 0 or near(max(vector), -min(vector), 1e-6) for vector in vectors))
check("components.kept", kept == max(1, sum(v >= 1 for v in variances)))
check("components.shares", all(near(row["share"], 100 * row["variance"] / dim, 1e-8) for row in suite["components"]))
points = [[math.fsum(x * y for x, y in zip(point, vector)) for vector in vectors] for point in z]
check("coordinates", all(near(row[f"pc{c + 1}"], points[i][c], 1e-8)
                         for i, row in enumerate(suite["coordinates"]) for c in range(kept)))

# ---- distances and the tree ----


def distance(a, b):
    return math.dist(a, b) / math.sqrt(dim)


check("distances", all(near(row[names[j]], distance(points[i], points[j]), 1e-8)
                       for i, row in enumerate(suite["distances"]) for j in range(n)))
far = [[row[name] for name in names] for row in suite["distances"]]
clusters = {i: [i] for i in range(n)}
merges = []
for number in range(n, 2 * n - 1):
    def mean_distance(pair):
        pairs = [far[x][y] for x in clusters[pair[0]] for y in clusters[pair[1]]]
        return math.fsum(pairs) / len(pairs)
    pairs = [(a, b) for a in clusters for b in clusters if a < b]
    a, b = min(pairs, key=lambda pair: (round(mean_distance(pair), 12), pair))
    merges.append((a, b, mean_distance((a, b)), len(clusters[a]) + len(clusters[b])))
    clusters[number] = clusters.pop(a) + clusters.pop(b)
check("tree", len(suite["merges"]) == n - 1 and
      all((row["first"], row["second"], row["traces"]) == (a, b, size) and near(row["distance"], d)
          for row, (a, b, d, size) in zip(suite["merges"], merges)))
leaves = [row["leaf"] for row in suite["leaves"]]
check("leaves", sorted(leaves) == list(range(n)) and leaves == clusters[2 * n - 2] and
      [row["trace"] for row in suite["leaves"]] == [names[i] for i in leaves])

# ---- k-means ----


def centres_of(labels, k):
    groups = [[points[i] for i in range(n) if labels[i] == c] for c in range(k)]
    return [[math.fsum(xs) / len(group) for xs in zip(*group)] for group in groups if group]


def nearest(point, centres):
    return min(range(len(centres)), key=lambda c: math.dist(point, centres[c]))


def squares_of(labels, centres):
    return math.fsum(math.dist(points[i], centres[labels[i]]) ** 2 for i in range(n)) / n


def bic(labels, k):
    """Pelleg and Moore's, with the variance of the maximum likelihood, as trace-simpoint's."""
    centres = centres_of(labels, k)
    variance = squares_of(labels, centres) / kept
    likelihood = -n * kept / 2 * (math.log(2 * math.pi * variance) + 1)
    likelihood += math.fsum(math.log(labels.count(label) / n) for label in labels)
    return likelihood - ((k - 1) + k * kept + 1) / 2 * math.log(n)


def kmeans(k):
    """Returns the highest score of some clusterings that begin by chance."""
    best = -math.inf
    for _ in range(30):
        centres = random.sample(points, k)
        for _ in range(50):
            labels = [nearest(point, centres) for point in points]
            if len(set(labels)) < k:
                break
            centres = centres_of(labels, k)
        else:
            best = max(best, bic(labels, k))
    return best


random.seed(1)
numbers = suite["numbers_of_clusters"]
labels = [row["cluster"] for row in suite["clusters"]]
k = suite["clusters_chosen"]
centres = centres_of(labels, k)
check("clusters.numbers", [row["clusters"] for row in numbers] == list(range(1, max(1, min(30, n // 2)) + 1)))
check("clusters.all", sorted(set(labels)) == list(range(k)))
check("clusters.nearest", all(nearest(points[i], centres) == labels[i] for i in range(n)))
if os.path.exists(os.path.join(folder, "made-up")):
    better = [(row, best) for row in numbers for best in [kmeans(row["clusters"])] if row["bic"] < best - 1e-6]
    check("clusters.best", not better)
    if better:
        print("#", better)
scores = [row["bic"] for row in numbers]
check("clusters.bic", near(scores[k - 1], bic(labels, k), 1e-7))
needed = min(scores) + 0.9 * (max(scores) - min(scores))
check("clusters.chosen", [row["clusters"] for row in numbers if row["chosen"]] == [k] and
      k == min(row["clusters"] for row in numbers if row["bic"] >= needed - 1e-9))
to_centre = [distance(points[i], centres[labels[i]]) for i in range(n)]
check("clusters.distances", all(near(row["distance_to_centre"], to_centre[i], 1e-7)
                                for i, row in enumerate(suite["clusters"])))
chosen = [(labels[i], to_centre[i]) for i, row in enumerate(suite["clusters"]) if row["representative"]]
check("clusters.representatives", sorted(label for label, _ in chosen) == list(range(k)) and
      all(d <= min(to_centre[i] for i in range(n) if labels[i] == label) + 1e-9 for label, d in chosen))
