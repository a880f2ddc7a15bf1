"""sampling_errors.py head: the head of the table. sampling_errors.py BIN NAME PLAN WHOLE: the row of a program, whose slices
are in this folder; see sampling.sh."""
import glob
import json
import subprocess
import sys

COLUMNS = ("threads", "points", "slices", "part", "instr", "mix", "loads", "branches", "misses", "mispred", "cycles", "footprint")


def run(command, trace, *options):
    out = subprocess.run([f"{binaries}/trace-{command}", "--quiet", "--format=json", "--filtered", *options, trace],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return json.loads(out)


def of_threads(command, name, trace, *options):
    """Sums a metric over threads, each with a cache, predictors and a window of its own."""
    return sum(row[name] for row in run(command, trace, "--threads=each", *options)["threads"])


def counts_of(trace):
    """The metrics of a trace, and its instructions by class."""
    mix = run("mix", trace, "--by=class")
    counts = {
        "instr": mix["instructions"], "loads": mix["loads"], "branches": mix["branches_taken"],
        "misses": of_threads("stackdist", "misses", trace, "--cache-size=32Ki"),
        "mispred": of_threads("ppm", "gag_12", trace),
        "cycles": of_threads("ilp", "cycles_64", trace, "--windows=64"),
    }
    return counts, {row["class"]: row["instructions"] for row in mix["classes"]}


def meta_of(trace, key):
    meta = subprocess.run([f"{binaries}/trace-info", "--meta", trace], stdout=subprocess.PIPE, check=True).stdout.decode()
    return next(float(line.split()[1]) for line in meta.splitlines() if line.startswith(f"slice.{key} "))


def footprint(trace):
    """The sum of the data blocks that a thread touches in each 100,000 of its instructions, and the number of these."""
    rows = run("footprint", trace, "--threads=each", "--interval=100000")["threads"]
    full = [row["data_blocks"] for row in rows if row["mica_instructions"] == 100000]
    return sum(full), len(full)


def main(name, plan, whole):
    with open(plan) as file:
        plan = json.load(file)
    slices = {path: meta_of(path, "multiplier") for path in glob.glob("slice.[0-9]*.trace")}
    if not slices:
        print(f"{name:12} no slice was recorded")
        return
    covered = sum(meta_of(path, "weight") for path in slices)	# those that are missing count as the others do
    slices = {path: multiplier / covered for path, multiplier in slices.items()}
    truth, classes = counts_of(whole)
    estimate, mix = dict.fromkeys(truth, 0.0), {}
    recorded = blocks = intervals = 0
    for path, multiplier in slices.items():
        counts, by_class = counts_of(path)
        recorded += counts["instr"]
        found, n = footprint(path)
        blocks += multiplier * found
        intervals += multiplier * n
        for key in counts:
            estimate[key] += multiplier * counts[key]
        for key in by_class:
            mix[key] = mix.get(key, 0) + multiplier * by_class[key]
    row = {key: f"{100 * (estimate[key] / truth[key] - 1):+.2f}" for key in truth}
    shares = [abs(mix.get(key, 0) / estimate["instr"] - classes.get(key, 0) / truth["instr"]) for key in {*mix, *classes}]
    all_blocks, n = footprint(whole)
    row.update(threads=plan["threads"], points=len(plan["points"]), slices=len(slices), part=f"{100 * recorded / truth['instr']:.1f}%",
               mix=f"{100 * sum(shares) / 2:.2f}", footprint=f"{100 * (blocks / intervals / (all_blocks / n) - 1):+.2f}")
    print(f"{name:12}" + "".join(f"{row[column]:>10}" for column in COLUMNS))


if sys.argv[1] == "head":
    print(f"{'program':12}" + "".join(f"{column:>10}" for column in COLUMNS))
else:
    binaries = sys.argv[1]
    main(*sys.argv[2:])
