# SPDX-License-Identifier: MIT
"""toolkit_file.py VECTORS ID OUT: writes a file of AMD Research's IBS toolkit with the sample of a vector, twice."""
import json
import struct
import sys

vectors, ident, out = sys.argv[1:]
with open(vectors, encoding="utf-8") as file:
    vector = next(v for v in json.load(file)["vectors"] if v["id"] == ident)
regs = {name: int(value, 16) for name, value in vector["regs"].items()}
caps = int(vector["caps"], 16)
is_op = vector["kind"] == "op"
flags = {"BrnTrgt": 5, "OpCntExt": 6, "RipInvalidChk": 7, "OpBrnFuse": 8, "IbsOpData4": 10} if is_op else \
    {"IbsFetchCtlExtd": 9}
kind = "Op" if is_op else "Fetch"
header = [f"IBS {kind} Sample File", f"AMD Processor Family: {vector['family']:#x}",
          f"AMD Processor Model: {vector['model']:#x}", "AMD Processor Stepping: 0x0",
          "AMD Processor Name: a processor", f"IBS {kind} Structure Version: 1",
          *(f"{name}: {caps >> bit & 1}" for name, bit in flags.items()), "", "=" * 45]
order = "op_ctl op_rip op_data op_data2 op_data3 op_data4 dc_lin dc_phys br_target" if is_op else \
    "fetch_ctl extd_ctl fetch_lin fetch_phys"
sample = struct.pack(f"<{len(order.split())}Q", *(regs.get(name, 0) for name in order.split()))
sample += struct.pack("<QQ4i", 123456789, 0, 42, 41, 3, 0)
with open(out, "wb") as file:
    file.write("\n".join(header).encode() + b"\n" + 2 * sample)
