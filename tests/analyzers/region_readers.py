# SPDX-License-Identifier: MIT
"""Readers of region files, written from descriptions of the programs that read them: SDE's pcregions controller,
the split script of LoopPoint, and gem5's loaders. Each raises an exception for what its original refuses."""
import csv
import json
import re


def sde_records(path):
    """The fields of each record, and whether they are of all threads."""
    text = open(path, "rb").read()
    assert b"\r" not in text and not text.startswith(b"\xef\xbb\xbf") and text.endswith(b"\n")
    records, is_global = [], False
    for line in text.decode().split("\n"):
        assert len(line.encode()) < 2000, "the reader's loop does not end behind such a line"
        if not line or line.startswith("#") or line.lower().startswith("comment"):
            continue
        fields = [field.strip() for field in line.split(",")]
        assert len(fields) == 16 and all(fields), line
        is_global |= fields[1] == "global"
        assert is_global or fields[1].isdigit(), line
        for pc in 3, 7:
            assert re.fullmatch("0x[0-9a-f]{1,16}", fields[pc]), line
        for image, offset in (4, 5), (8, 9):
            assert re.fullmatch(r"[^ ,|/\t]+", fields[image]), line
            assert 0 <= int(fields[offset], 16) < 1 << 32, line
            assert fields[image] != "no_image" or fields[offset] == "0x0", line
        counts = [int(fields[i]) for i in (6, 10, 11, 12)]
        assert all(0 <= count < 1 << 64 for count in counts), line
        assert 0 < int(fields[2]) < 1 << 32 and 0 <= float(fields[13]) <= 1, line
        kind = re.fullmatch(r"simulation|warmup:([1-9]\d*)", fields[15])
        assert kind, line
        records.append({
            "id": int(fields[2]), "global": is_global, "start": (int(fields[3], 16), counts[0]),
            "end": (int(fields[7], 16), counts[1]), "relative": counts[2], "length": counts[3],
            "images": (fields[4], fields[8]), "offsets": (int(fields[5], 16), int(fields[9], 16)),
            "weight": float(fields[13]), "multiplier": float(fields[14]),
            "warms": int(kind[1]) if kind[1] else None, "comment": fields[0],
        })
    ids = [r["id"] for r in records]
    assert len(set(ids)) == len(ids), "two regions have a number"
    for record in records:
        if record["warms"] is None:
            assert re.fullmatch(r"cluster \d+ from slice \d+", record["comment"])
        else:
            assert record["comment"] == f"Warmup for regionid {record['warms']}" and record["warms"] in ids
    return records


def split_records(path):
    """The three comment lines before each record, and the record, as the split script writes them to a file."""
    assert path.endswith(".csv"), "needs a name that ends in .csv"
    last, found = {}, []
    for line in open(path):
        for begin in "# RegionId =", "#Start: pc", "#End: pc":
            if line.startswith(begin):
                last[begin] = line
        if line.strip() and not line.startswith("#") and not line.lower().startswith("comment"):
            assert len(last) == 3, "exits without these lines"
            found.append((*last.values(), line))
            last = {}
    return found


def gem5_csv(path):
    """LooppointCsvLoader's regions by number."""
    regions, warmups = {}, {}
    with open(path, newline="") as file:
        for row in csv.reader(file, delimiter=" ", quotechar="|"):
            if row and row[0] == "cluster":
                cells = row[4].split(",")
                assert row[2] == "from" and row[3] == "slice"
                regions[int(cells[2])] = {
                    "start": (int(cells[3], 16), int(cells[6])), "end": (int(cells[7], 16), int(cells[10])),
                    "relative": int(cells[11]), "multiplier": float(cells[14]),
                }
            elif row and row[0] == "Warmup":
                cells = row[3].split(",")
                warmups[int(cells[0])] = (int(cells[3], 16), int(cells[6])), (int(cells[7], 16), int(cells[10]))
    for number, warmup in warmups.items():
        regions[number]["warmup"] = warmup
    return regions


def gem5_json(path):
    """LooppointJsonLoader's regions by number."""
    regions = {}
    for number, region in json.load(open(path)).items():
        assert set(region) <= {"simulation", "multiplier", "warmup"}
        start, end = region["simulation"]["start"], region["simulation"]["end"]
        assert set(start) == {"pc", "global"} and set(end) == {"pc", "global", "relative"}
        found = {
            "start": (start["pc"], start["global"]), "end": (end["pc"], end["global"]),
            "relative": end["relative"], "multiplier": region["multiplier"],
        }
        if "warmup" in region:
            found["warmup"] = tuple((region["warmup"][w]["pc"], region["warmup"][w]["count"]) for w in ("start", "end"))
        for pc, count in (found["start"], found["end"], *found.get("warmup", ())):
            assert type(pc) is int and type(count) is int and count < 1 << 31
        assert isinstance(found["multiplier"], float) and type(found["relative"]) is int
        regions[int(number)] = found
    return regions
