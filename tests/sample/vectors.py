# SPDX-License-Identifier: MIT
"""vectors.py ORACLE lines|raw KIND           as samples of tests/sample/stand_in_kernel.c, or their raw bytes alone
vectors.py ORACLE check KIND TRACE_IBS TRACE  checks the results of trace-ibs

Samples of processors from Zen 3 on, out of the oracle's vectors; and of their fields those that all of these decode
alike, where they are valid."""
import json
import subprocess
import sys

oracle, what, kind = sys.argv[1:4]
with open(f"{oracle}/ibs_vectors.json", encoding="utf-8") as file:
    vectors = [v for v in json.load(file)["vectors"] if v["kind"] == kind and v["family"] in (25, 26)]
assert vectors
ALIKE = {"op": ["tag_to_ret", "comp_to_ret", "ld", "st", "dc_miss"],
         "fetch": ["lat", "comp", "l1tlb_miss"]}[kind]
OURS = {"lat": "fetch_lat", "comp": "fetch_comp", "l1tlb_miss": "l1itlb_miss"}
if what == "lines":
    for v in vectors:
        print(v["regs"].get("op_rip", v["regs"].get("fetch_lin")), "0 0 0", v["raw_payload"])
elif what == "raw":
    for v in vectors:
        print(v["raw_payload"])
else:
    out = subprocess.run([sys.argv[4], "--packets", "--format=json", sys.argv[5]], capture_output=True, check=True)
    packets = json.loads(out.stdout)["packets" if kind == "op" else "fetches"]
    assert len(packets) == len(vectors), (len(packets), len(vectors))
    for packet, vector in zip(packets, vectors):
        for name in ALIKE:
            told, expected = packet[OURS.get(name, name)], vector["fields"][name]
            assert expected in (told, None), (vector["id"], name, told, expected)
