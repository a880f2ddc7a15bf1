/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/op_table.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by name. */
static const struct ibs_op_count table[] = {
	{ "BSF", 8, 8, 0 },          { "BSR", 8, 8, 0 },          { "BT", 1, 7, 0 },
	{ "BTC", 2, 11, 0 },         { "BTR", 2, 11, 0 },         { "BTS", 2, 11, 0 },
	{ "CALL_NEAR", 2, 3, 0 },    { "CLD", 3, 3, 0 },          { "CLFLUSH", 4, 4, 0 },
	{ "CLFLUSHOPT", 2, 2, 0 },   { "CMPSB", 6, 6, 0 },        { "CMPSD", 6, 6, 0 },
	{ "CMPSQ", 6, 6, 0 },        { "CMPSW", 6, 6, 0 },        { "CMPXCHG", 5, 6, 0 },
	{ "CMPXCHG16B", 28, 28, 0 }, { "CMPXCHG8B", 19, 19, 0 },  { "CPUID", 45, 45, 150 },
	{ "CVTPI2PD", 2, 2, 0 },     { "CVTPI2PS", 2, 2, 0 },     { "CVTSD2SI", 2, 2, 0 },
	{ "CVTSI2SD", 2, 2, 0 },     { "CVTSI2SS", 2, 2, 0 },     { "CVTSS2SI", 2, 2, 0 },
	{ "CVTTSD2SI", 2, 2, 0 },    { "CVTTSS2SI", 2, 2, 0 },    { "CWD", 2, 2, 0 },
	{ "DIV", 2, 2, 0 },          { "DPPD", 3, 5, 8 },         { "DPPS", 8, 10, 11 },
	{ "ENTER", 12, 12, 12 },     { "EXTRACTPS", 2, 2, 0 },    { "F2XM1", 10, 10, 50 },
	{ "FBLD", 60, 60, 60 },      { "FBSTP", 64, 64, 100 },    { "FCOS", 60, 60, 60 },
	{ "FDIV", 1, 1, 13 },        { "FLDENV", 40, 40, 60 },    { "FNSAVE", 60, 60, 100 },
	{ "FNSTCW", 2, 2, 0 },       { "FNSTENV", 30, 30, 60 },   { "FNSTSW", 2, 3, 0 },
	{ "FPATAN", 30, 30, 60 },    { "FPREM", 8, 8, 25 },       { "FPREM1", 10, 10, 25 },
	{ "FPTAN", 60, 60, 80 },     { "FRNDINT", 3, 3, 0 },      { "FRSTOR", 60, 60, 100 },
	{ "FSIN", 60, 60, 60 },      { "FSINCOS", 60, 60, 80 },   { "FSQRT", 1, 1, 25 },
	{ "FXRSTOR", 64, 64, 80 },   { "FXRSTOR64", 64, 64, 80 }, { "FXSAVE", 64, 64, 80 },
	{ "FXSAVE64", 64, 64, 80 },  { "FYL2X", 25, 25, 60 },     { "FYL2XP1", 25, 25, 60 },
	{ "HADDPD", 3, 4, 0 },       { "HADDPS", 3, 4, 0 },       { "IDIV", 2, 2, 0 },
	{ "IRETQ", 60, 60, 60 },     { "LAHF", 4, 4, 0 },         { "LEAVE", 2, 2, 0 },
	{ "LODSB", 3, 3, 0 },        { "LODSD", 2, 2, 0 },        { "LODSQ", 2, 2, 0 },
	{ "LODSW", 3, 3, 0 },        { "MASKMOVDQU", 60, 60, 0 }, { "MASKMOVQ", 30, 30, 0 },
	{ "MFENCE", 3, 3, 50 },      { "MOVSB", 5, 5, 0 },        { "MOVSD", 5, 5, 0 },
	{ "MOVSQ", 5, 5, 0 },        { "MOVSW", 5, 5, 0 },        { "MPSADBW", 4, 6, 4 },
	{ "MUL", 2, 2, 0 },          { "MULX", 2, 2, 0 },         { "PAUSE", 8, 8, 64 },
	{ "PCLMULQDQ", 4, 4, 4 },    { "PCMPESTRI", 8, 12, 6 },   { "PCMPESTRM", 7, 12, 7 },
	{ "PCMPISTRI", 4, 4, 4 },    { "PCMPISTRM", 3, 4, 7 },    { "PEXTRB", 2, 2, 0 },
	{ "PEXTRD", 2, 2, 0 },       { "PEXTRQ", 2, 2, 0 },       { "PEXTRW", 2, 2, 0 },
	{ "PHADDD", 3, 4, 0 },       { "PHADDSW", 3, 4, 0 },      { "PHADDW", 3, 4, 0 },
	{ "PHSUBD", 3, 4, 0 },       { "PHSUBSW", 3, 4, 0 },      { "PHSUBW", 3, 4, 0 },
	{ "PINSRB", 2, 2, 0 },       { "PINSRD", 2, 2, 0 },       { "PINSRQ", 2, 2, 0 },
	{ "PINSRW", 2, 2, 0 },       { "POP", 1, 2, 0 },          { "POPF", 35, 35, 20 },
	{ "POPFQ", 35, 35, 20 },     { "PUSH", 1, 2, 0 },         { "PUSHF", 9, 9, 8 },
	{ "PUSHFQ", 9, 9, 8 },       { "RCL", 7, 8, 4 },          { "RCR", 7, 8, 4 },
	{ "RDRAND", 20, 20, 200 },   { "RDSEED", 20, 20, 200 },   { "RDTSC", 38, 38, 40 },
	{ "RDTSCP", 38, 38, 40 },    { "RET_FAR", 40, 40, 60 },   { "SCASB", 3, 3, 0 },
	{ "SCASD", 3, 3, 0 },        { "SCASQ", 3, 3, 0 },        { "SCASW", 3, 3, 0 },
	{ "SHA1MSG1", 2, 2, 0 },     { "SHA256MSG1", 2, 2, 0 },   { "SHA256MSG2", 4, 4, 0 },
	{ "SHLD", 6, 6, 3 },         { "SHRD", 6, 6, 3 },         { "SQRTPD", 1, 1, 20 },
	{ "SQRTPS", 1, 1, 14 },      { "SQRTSD", 1, 1, 20 },      { "SQRTSS", 1, 1, 14 },
	{ "STD", 4, 4, 0 },          { "STOSB", 3, 3, 0 },        { "STOSD", 3, 3, 0 },
	{ "STOSQ", 3, 3, 0 },        { "STOSW", 3, 3, 0 },        { "SYSCALL", 40, 40, 0 },
	{ "VCVTSD2SI", 2, 2, 0 },    { "VCVTSI2SD", 2, 2, 0 },    { "VCVTSI2SS", 2, 2, 0 },
	{ "VCVTSS2SI", 2, 2, 0 },    { "VCVTTSD2SI", 2, 2, 0 },   { "VCVTTSS2SI", 2, 2, 0 },
	{ "VDPPS", 8, 10, 11 },      { "VEXTRACTPS", 2, 2, 0 },   { "VGATHERDPD", 1, 22, 0 },
	{ "VGATHERDPS", 1, 39, 0 },  { "VGATHERQPD", 1, 22, 0 },  { "VGATHERQPS", 1, 27, 0 },
	{ "VHADDPD", 3, 4, 0 },      { "VHADDPS", 3, 4, 0 },      { "VMASKMOVPD", 1, 18, 0 },
	{ "VMASKMOVPS", 1, 18, 0 },  { "VPCLMULQDQ", 4, 4, 4 },   { "VPCMPESTRI", 8, 12, 6 },
	{ "VPCMPISTRI", 4, 4, 4 },   { "VPEXTRB", 2, 2, 0 },      { "VPEXTRD", 2, 2, 0 },
	{ "VPEXTRQ", 2, 2, 0 },      { "VPEXTRW", 2, 2, 0 },      { "VPGATHERDD", 1, 39, 0 },
	{ "VPGATHERDQ", 1, 22, 0 },  { "VPGATHERQD", 1, 27, 0 },  { "VPGATHERQQ", 1, 22, 0 },
	{ "VPHADDD", 3, 4, 0 },      { "VPHADDW", 3, 4, 0 },      { "VPINSRB", 2, 2, 0 },
	{ "VPINSRD", 2, 2, 0 },      { "VPINSRQ", 2, 2, 0 },      { "VPINSRW", 2, 2, 0 },
	{ "VPMASKMOVD", 1, 18, 0 },  { "VPMASKMOVQ", 1, 18, 0 },  { "VPSCATTERDD", 1, 60, 0 },
	{ "VPSCATTERDQ", 1, 40, 0 }, { "VPSCATTERQD", 1, 40, 0 }, { "VPSCATTERQQ", 1, 40, 0 },
	{ "VSCATTERDPD", 1, 40, 0 }, { "VSCATTERDPS", 1, 60, 0 }, { "VSCATTERQPD", 1, 40, 0 },
	{ "VSCATTERQPS", 1, 40, 0 }, { "VSQRTPD", 1, 1, 20 },     { "VSQRTPS", 1, 1, 14 },
	{ "VSQRTSD", 1, 1, 20 },     { "VSQRTSS", 1, 1, 14 },     { "VZEROALL", 20, 20, 0 },
	{ "XADD", 2, 4, 0 },         { "XCHG", 2, 2, 0 },         { "XGETBV", 7, 7, 10 },
	{ "XLAT", 2, 2, 0 },         { "XRSTOR", 64, 64, 100 },   { "XRSTORS", 64, 64, 100 },
	{ "XSAVE", 64, 64, 100 },    { "XSAVEC", 64, 64, 100 },   { "XSAVEOPT", 64, 64, 100 },
};

static int compare_names(const void *name, const void *entry)
{
	return strcmp(name, ((const struct ibs_op_count *)entry)->iclass);
}

const struct ibs_op_count *ibs_find_op_count(const char *iclass)
{
	return bsearch(iclass, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]),
		       compare_names);
}
