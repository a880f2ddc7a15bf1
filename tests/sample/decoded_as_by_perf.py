# SPDX-License-Identifier: MIT
"""decoded_as_by_perf.py PERF_DATA JSONL TRACE_IBS TRACE

The file has the samples of the trace, with the same raw bytes; and perf report -D prints the same registers as
trace-ibs --packets, wherever both know a field. Without perf, its stored output for some samples is used
(tests/oracle/ibs/perf_D_golden.json)."""
import json
import os
import re
import shutil
import subprocess
import sys

perf_data, jsonl, trace_ibs, trace = sys.argv[1:]
with open(perf_data, "rb") as file:
    content = file.read()
with open(jsonl, encoding="utf-8") as file:
    raw = [s["raw"] for s in map(json.loads, file) if s["type"] == "sample"]
assert raw and all(bytes.fromhex(r) in content for r in raw), "a payload that the file does not have"


def printed_by_perf():
    """Returns perf's text of each sample, in order; None if no text is known."""
    if shutil.which("perf"):
        out = subprocess.run(["perf", "report", "-D", "-i", perf_data], capture_output=True, check=True).stdout.decode()
        return [" ".join(re.findall(r"^\.? *((?:ibs_|Ibs|ic_ibs).*)$", part, re.M))
                for part in out.split("PERF_RECORD_SAMPLE")[:-1]]
    oracle = os.path.dirname(perf_data)
    with open(f"{oracle}/ibs_vectors.json", encoding="utf-8") as vectors:
        names = {v["raw_payload"]: v["id"] for v in json.load(vectors)["vectors"]}
    with open(f"{oracle}/perf_D_golden.json", encoding="utf-8") as golden:
        texts = json.load(golden)
    return [" ".join(texts.get(names.get(r), [])) for r in raw]


NAMES = {"CompToRetCtr": "comp_to_ret", "TagToRetCtr": "tag_to_ret", "CurCnt": "cur_cnt", "BrnMisp": "brn_misp",
         "LdOp": "ld", "StOp": "st", "DcL1TlbMiss": "dc_l1tlb_miss", "DcL2TlbMiss": "dc_l2tlb_miss", "DcMiss": "dc_miss",
         "DcMisAcc": "misaligned", "DcLockedOp": "locked", "DcMissNoMabAlloc": "dc_miss_no_mab_alloc",
         "DcLinAddrValid": "lin_valid", "DcPhyAddrValid": "phy_valid", "SwPf": "sw_pf", "DcMissLat": "dc_miss_lat",
         "TlbRefillLat": "tlb_refill_lat", "OpDcMissOpenMemReqs": "open_mem_reqs", "RmtNode": "rmt_node",
         "Lat": "fetch_lat", "Comp": "fetch_comp", "IcMiss": "ic_miss", "L1TlbMiss": "l1itlb_miss",
         "L2TlbMiss": "l2itlb_miss", "RandEn": "rand_en", "L2Miss": "l2_miss", "IbsItlbRefillLat": "itlb_refill_lat"}
report = json.loads(subprocess.run([trace_ibs, "--packets", "--format=json", trace], capture_output=True,
                                   check=True).stdout)
packets = sorted(report.get("packets", []) + report.get("fetches", []), key=lambda packet: packet["op"])
texts = printed_by_perf()
assert len(packets) == len(texts), f"{len(packets)} packets, perf has {len(texts)}"
compared = 0
for packet, text in zip(packets, texts):
    for name, value in re.findall(r"\b([A-Z]\w+) +(\d+)\b", text):
        ours = NAMES.get(name)
        if "fetch_ctl" in packet and ours == "l2_miss":
            ours = "fetch_l2_miss"
        if packet.get(ours) is None:
            continue
        assert packet[ours] == int(value), f"{name} is {packet[ours]}, not {value}: {text}"
        compared += 1
assert compared or not any(texts), "nothing to compare"
print(compared, "fields")
