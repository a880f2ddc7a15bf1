/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/decode.h"

#include <stdio.h>
#include <string.h>

/* Bits of the capabilities. The first one is set if there are any, so all fields require it. */
/* clang-format off */
enum {
	CAP_VALID = 0, CAP_OP_CNT = 4, CAP_BRN_TRGT = 5, CAP_OP_CNT_EXT = 6, CAP_RIP_INVALID = 7,
	CAP_BRN_FUSE = 8, CAP_FETCH_EXTD = 9, CAP_OP_DATA4 = 10, CAP_ZEN4 = 11, CAP_LD_LAT = 12,
	CAP_STREAMING = 16, CAP_DTLB = 19,
};
/* clang-format on */

/* Groups of processors that have certain fields. */
enum {
	RESYNC = 1,     /* 10h, 12h, 14h, 15h before model 10h */
	LD_BANK = 2,    /* 10h, 12h, 15h before model 10h */
	ST_BANK = 4,    /* 10h, 12h */
	FORWARDS = 8,   /* 10h, 12h, 14h, 16h, 15h before model 10h */
	MAB = 16,       /* 10h, 12h, 14h, 15h before model 20h */
	NEW_DATA3 = 32, /* 15h from model 30h, 16h and later */
	NODES = 64,     /* all but 12h, 14h, 16h */
	FETCH_L2 = 128, /* 15h from model 60h, 17h and later */
	NOT_14H = 256,
	TRUSTED_IC = 512, /* all but Zen 3: erratum 1238 */
	NO_MAB = 1024,    /* all that are not MAB */
	ANY = 0,
};

/* The conditions under which a field exists: a capability, and a kind of processor. */
static const struct rule {
	uint8_t cap;
	uint16_t cpus;
} rules[IBS_N_FIELDS] = {
	[IBS_L3_MISS_ONLY] = { CAP_ZEN4, ANY },
	[IBS_CNT_CTL] = { CAP_OP_CNT, ANY },
	[IBS_MAX_CNT_HIGH] = { CAP_OP_CNT_EXT, ANY },
	[IBS_LD_LAT_EN] = { CAP_LD_LAT, ANY },
	[IBS_LD_LAT_THRESHOLD] = { CAP_LD_LAT, ANY },
	[IBS_BRN_RESYNC] = { CAP_VALID, RESYNC },
	[IBS_MISP_RETURN] = { CAP_VALID, RESYNC },
	[IBS_RIP_INVALID] = { CAP_RIP_INVALID, ANY },
	[IBS_BRN_FUSE] = { CAP_BRN_FUSE, ANY },
	[IBS_MICROCODE] = { CAP_VALID, NEW_DATA3 },
	[IBS_RMT_NODE] = { CAP_VALID, NODES },
	[IBS_CACHE_HIT_ST] = { CAP_VALID, NODES },
	[IBS_DATA_SRC_HIGH] = { CAP_ZEN4, ANY },
	[IBS_STREAMING_STORE] = { CAP_STREAMING, ANY },
	[IBS_RMT_SOCKET] = { CAP_STREAMING, ANY },
	[IBS_DC_L1TLB_HIT_1G] = { CAP_VALID, NOT_14H },
	[IBS_DC_PAGE_SIZE] = { CAP_DTLB, ANY },
	[IBS_LD_BANK_CONFLICT] = { CAP_VALID, LD_BANK },
	[IBS_ST_BANK_CONFLICT] = { CAP_VALID, ST_BANK },
	[IBS_ST_TO_LD_FWD] = { CAP_VALID, FORWARDS },
	[IBS_ST_TO_LD_CANCEL] = { CAP_VALID, LD_BANK },
	[IBS_MAB_HIT] = { CAP_VALID, MAB },
	[IBS_NO_MAB_ALLOC] = { CAP_VALID, NO_MAB },
	[IBS_DC_L2TLB_HIT_1G] = { CAP_VALID, NOT_14H },
	[IBS_L2_MISS] = { CAP_VALID, NEW_DATA3 },
	[IBS_SW_PF] = { CAP_VALID, NEW_DATA3 },
	[IBS_MEM_WIDTH] = { CAP_VALID, NEW_DATA3 },
	[IBS_OPEN_MEM_REQS] = { CAP_VALID, NEW_DATA3 },
	[IBS_TLB_REFILL_LAT] = { CAP_VALID, NEW_DATA3 },
	[IBS_LD_RESYNC] = { CAP_OP_DATA4, ANY },
	[IBS_IC_MISS] = { CAP_VALID, TRUSTED_IC },
	[IBS_FETCH_L2_MISS] = { CAP_VALID, FETCH_L2 },
	[IBS_FETCH_L3_MISS_ONLY] = { CAP_ZEN4, ANY },
	[IBS_OC_MISS] = { CAP_ZEN4, ANY },
	[IBS_FETCH_L3_MISS] = { CAP_ZEN4, ANY },
};

static bool has(uint32_t caps, unsigned cap)
{
	return caps >> cap & 1;
}

/* ---- processors -------------------------------------------------------------------------- */

bool ibs_cpu_parse(const char *cpuid, struct ibs_cpu *cpu)
{
	int n = 0;

	*cpu = (struct ibs_cpu){ 0 };
	if (!cpuid)
		return false;
	sscanf(cpuid, "%*[^,],%u,%u%n", &cpu->family, &cpu->model, &n);
	if (n && (!strncmp(cpuid, "AuthenticAMD,", 13) || !strncmp(cpuid, "HygonGenuine,", 13)))
		return true;
	*cpu = (struct ibs_cpu){ 0 };
	return false;
}

/* Replaces an unknown processor by the first one that had such capabilities. */
static struct ibs_cpu with_family(const struct ibs_cpu *cpu, uint32_t caps)
{
	static const struct {
		unsigned cap, family, model;
	} first[] = {
		{ CAP_DTLB, 0x1a, 0 },        { CAP_ZEN4, 0x19, 0x10 },
		{ CAP_OP_DATA4, 0x15, 0x60 }, { CAP_FETCH_EXTD, 0x17, 0 },
		{ CAP_BRN_FUSE, 0x15, 0x30 }, { CAP_BRN_TRGT, 0x15, 0 },
		{ CAP_VALID, 0x10, 0 },
	};
	struct ibs_cpu known = *cpu;

	for (size_t i = 0; !known.family; i++)
		if (has(caps, first[i].cap)) {
			known.family = first[i].family;
			known.model = first[i].model;
		}
	return known;
}

static bool is_zen3(const struct ibs_cpu *cpu)
{
	return cpu->family == 0x19 && cpu->model < 0x10;
}

static bool is_zen6_or_later(const struct ibs_cpu *cpu)
{
	unsigned m = cpu->model;

	return cpu->family > 0x1a ||
	       (cpu->family == 0x1a &&
		((m >= 0x50 && m <= 0x5f) || (m >= 0x80 && m <= 0xaf) || (m >= 0xc0 && m <= 0xcf)));
}

static unsigned kinds_of(const struct ibs_cpu *cpu)
{
	unsigned f = cpu->family, m = cpu->model;
	bool early_15h = f == 0x15 && m < 0x10, k10 = f == 0x10 || f == 0x12;
	bool mab = f <= 0x12 || f == 0x14 || (f == 0x15 && m < 0x20);

	return (k10 || f == 0x14 || early_15h ? RESYNC : 0) | (k10 || early_15h ? LD_BANK : 0) |
	       (k10 ? ST_BANK : 0) | (k10 || f == 0x14 || f == 0x16 || early_15h ? FORWARDS : 0) |
	       (mab ? MAB : NO_MAB) | (f >= 0x16 || (f == 0x15 && m >= 0x30) ? NEW_DATA3 : 0) |
	       (f != 0x12 && f != 0x14 && f != 0x16 ? NODES : 0) |
	       (f >= 0x17 || (f == 0x15 && m >= 0x60) ? FETCH_L2 : 0) | (f != 0x14 ? NOT_14H : 0) |
	       (is_zen3(cpu) ? 0 : TRUSTED_IC);
}

/* ---- fields ------------------------------------------------------------------------------ */

static void forget(struct ibs_packet *p, enum ibs_field field)
{
	p->known[field / 64] &= ~(1ull << field % 64);
}

static void forget_all(struct ibs_packet *p, const uint8_t *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		forget(p, fields[i]);
}
#define FORGET(packet, ...)                                       \
	do {                                                      \
		static const uint8_t fields_[] = { __VA_ARGS__ }; \
                                                                  \
		forget_all(packet, fields_, sizeof(fields_));     \
	} while (0)

static uint64_t get(const struct ibs_packet *p, enum ibs_field field)
{
	uint64_t value;

	ibs_packet_get(p, field, &value);
	return value;
}

/* Marks as known the fields of the present registers that the rules allow. */
static void know(struct ibs_packet *p, const struct ibs_cpu *cpu, uint32_t registers)
{
	unsigned kinds = kinds_of(cpu);

	p->known[0] = p->known[1] = 0;
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (registers >> ibs_field_register(i) & 1 && has(p->caps, rules[i].cap) &&
		    (!rules[i].cpus || kinds & rules[i].cpus))
			p->known[i / 64] |= 1ull << i % 64;
}

static uint64_t data_source(const struct ibs_packet *p)
{
	uint64_t high;

	return get(p, IBS_DATA_SRC_LOW) |
	       (ibs_packet_get(p, IBS_DATA_SRC_HIGH, &high) ? high << 3 : 0);
}

static bool is_cache(uint64_t source, uint32_t caps)
{
	return has(caps, CAP_ZEN4) ? source == 1 || source == 2 || source == 5 : source == 2;
}

static void decode_tlb(struct ibs_packet *p)
{
	enum { RESERVED_SIZE = 3 };

	if (!has(p->caps, CAP_DTLB))
		return;
	FORGET(p, IBS_DC_L1TLB_HIT_2M, IBS_DC_L1TLB_HIT_1G, IBS_DC_L2TLB_HIT_2M,
	       IBS_DC_L2TLB_HIT_1G);
	if (!ibs_packet_is(p, IBS_PHY_VALID))
		FORGET(p, IBS_DC_L1TLB_MISS, IBS_DC_L2TLB_MISS, IBS_DC_PAGE_SIZE);
	else if (get(p, IBS_DC_PAGE_SIZE) == RESERVED_SIZE)
		FORGET(p, IBS_DC_PAGE_SIZE);
}

static void decode_op(struct ibs_packet *p, const struct ibs_cpu *cpu)
{
	enum { CUR_CNT_SHORT = 20 };
	bool merged = get(p, IBS_NO_MAB_ALLOC) || get(p, IBS_SW_PF);

	if (!has(p->caps, CAP_OP_CNT_EXT))
		p->registers[IBS_OP_CTL] &= ~(~0ull << (32 + CUR_CNT_SHORT));
	if (!get(p, IBS_LD_LAT_EN))
		forget(p, IBS_LD_LAT_THRESHOLD);
	if (ibs_packet_is(p, IBS_RIP_INVALID))
		forget(p, IBS_RIP);
	decode_tlb(p);
	/* Erratum 1293 */
	if (is_zen3(cpu) && merged)
		FORGET(p, IBS_L2_MISS, IBS_OPEN_MEM_REQS, IBS_DATA_SRC_LOW, IBS_DATA_SRC_HIGH,
		       IBS_RMT_NODE, IBS_CACHE_HIT_ST);
	if (!is_cache(data_source(p), p->caps))
		forget(p, IBS_CACHE_HIT_ST);
	if (!ibs_packet_is(p, IBS_LIN_VALID))
		forget(p, IBS_LIN);
	if (!ibs_packet_is(p, IBS_PHY_VALID))
		forget(p, IBS_PHYS);
	if (!get(p, IBS_BRN_RET) || !get(p, IBS_TARGET))
		forget(p, IBS_TARGET);
}

/* Converts the codes of page sizes to those of Zen 4: 0 4K, 1 2M, 2 1G, 3 16K. */
static void decode_itlb_page(struct ibs_packet *p, const struct ibs_cpu *cpu)
{
	enum { SIZE_16K = 3 };
	static const uint8_t of_zen3[] = { 0, SIZE_16K, 1, 2 }; /* erratum 1347 */
	uint64_t code = get(p, IBS_ITLB_PAGE_SIZE);

	if (is_zen3(cpu))
		ibs_packet_set(p, IBS_ITLB_PAGE_SIZE, of_zen3[code]);
	else if (code == SIZE_16K && cpu->family != 0x17)
		forget(p, IBS_ITLB_PAGE_SIZE);
	if (!ibs_packet_is(p, IBS_FETCH_PHY_VALID))
		forget(p, IBS_ITLB_PAGE_SIZE);
}

static void decode_fetch(struct ibs_packet *p, const struct ibs_cpu *cpu)
{
	decode_itlb_page(p, cpu);
	if (ibs_packet_is(p, IBS_FETCH_PHY_VALID))
		return;
	forget(p, IBS_FETCH_PHYSICAL);
	if (is_zen6_or_later(cpu))
		FORGET(p, IBS_FETCH_LAT, IBS_IC_MISS, IBS_L1ITLB_MISS, IBS_L2ITLB_MISS,
		       IBS_FETCH_L2_MISS, IBS_OC_MISS, IBS_FETCH_L3_MISS, IBS_ITLB_REFILL_LAT);
}

/* Returns false for a fetch without an address, which Zen 3 may deliver (erratum 1197). */
static bool is_sample(const struct ibs_packet *p, const struct ibs_cpu *cpu)
{
	if (p->kind == IBS_KIND_OP)
		return get(p, IBS_EN) && get(p, IBS_VAL);
	return get(p, IBS_FETCH_EN) && get(p, IBS_FETCH_VAL) &&
	       !(is_zen3(cpu) && !get(p, IBS_FETCH_LINEAR));
}

/* Decodes a packet whose registers are filled in. registers: bit by register that is present. */
static enum ibs_decoded decode(struct ibs_packet *p, const struct ibs_cpu *of, uint32_t registers)
{
	struct ibs_cpu cpu = with_family(of, p->caps);

	know(p, &cpu, registers);
	if (!is_sample(p, &cpu))
		return IBS_NOT_A_SAMPLE;
	if (p->kind == IBS_KIND_OP)
		decode_op(p, &cpu);
	else
		decode_fetch(p, &cpu);
	return IBS_DECODED;
}

/* ---- payloads ---------------------------------------------------------------------------- */

enum { MAX_REGISTERS = 9, CAPS_SIZE = 4 };

/* Stores the registers of a payload in their order. Returns their number. */
static size_t layout(const struct ibs_cpu *cpu, enum ibs_kind kind, uint32_t caps, uint8_t *order)
{
	static const uint8_t op[] = { IBS_OP_CTL,   IBS_OP_RIP, IBS_OP_DATA, IBS_OP_DATA2,
				      IBS_OP_DATA3, IBS_DC_LIN, IBS_DC_PHYS };
	static const uint8_t fetch[] = { IBS_FETCH_CTL, IBS_FETCH_LIN, IBS_FETCH_PHYS };
	size_t n = kind == IBS_KIND_OP ? sizeof(op) : sizeof(fetch);

	memcpy(order, kind == IBS_KIND_OP ? op : fetch, n);
	if (kind == IBS_KIND_FETCH) {
		if (has(caps, CAP_FETCH_EXTD) && !cpu->old_fetch_payload)
			order[n++] = IBS_FETCH_EXTD;
		return n;
	}
	if (has(caps, CAP_BRN_TRGT))
		order[n++] = IBS_BR_TARGET;
	if (has(caps, CAP_OP_DATA4))
		order[n++] = IBS_OP_DATA4;
	return n;
}

/*
 * Returns true if a payload has the size of n registers. Kernels before 5.10 append a register of
 * ops to those of fetches.
 */
static bool is_size(const struct ibs_cpu *cpu, enum ibs_kind kind, size_t size, size_t n)
{
	size_t expected = CAPS_SIZE + 8 * n;

	return size == expected || (kind == IBS_KIND_FETCH && cpu->old_fetch_payload &&
				    size > expected && size <= expected + 2 * 8);
}

enum ibs_decoded ibs_decode(const struct ibs_cpu *cpu, enum ibs_kind kind, const uint8_t *payload,
			    size_t size, struct ibs_packet *p)
{
	uint8_t order[MAX_REGISTERS];
	uint32_t registers = 0, caps;
	size_t n;

	if (size < CAPS_SIZE)
		return IBS_BAD_PAYLOAD;
	memcpy(&caps, payload, CAPS_SIZE);
	n = layout(cpu, kind, caps, order);
	if (!has(caps, CAP_VALID) || !is_size(cpu, kind, size, n))
		return IBS_BAD_PAYLOAD;
	*p = (struct ibs_packet){ .kind = (uint8_t)kind, .caps = caps };
	for (size_t i = 0; i < n; i++) {
		memcpy(&p->registers[order[i]], payload + CAPS_SIZE + 8 * i, 8);
		registers |= 1u << order[i];
	}
	return decode(p, cpu, registers);
}

enum ibs_decoded ibs_decode_toolkit(const struct ibs_cpu *cpu, uint32_t caps, const uint8_t *bytes,
				    size_t size, struct ibs_packet *p)
{
	static const uint8_t op[] = { IBS_OP_CTL,   IBS_OP_RIP,   IBS_OP_DATA,
				      IBS_OP_DATA2, IBS_OP_DATA3, IBS_OP_DATA4,
				      IBS_DC_LIN,   IBS_DC_PHYS,  IBS_BR_TARGET };
	static const uint8_t fetch[] = { IBS_FETCH_CTL, IBS_FETCH_EXTD, IBS_FETCH_LIN,
					 IBS_FETCH_PHYS };
	enum { OP_SIZE = 104, FETCH_SIZE = 64 };
	const uint8_t *order = size == OP_SIZE ? op : fetch;
	size_t n = size == OP_SIZE ? sizeof(op) : sizeof(fetch);
	uint32_t registers = 0;

	if (size != OP_SIZE && size != FETCH_SIZE)
		return IBS_BAD_PAYLOAD;
	*p = (struct ibs_packet){
		.kind = size == OP_SIZE ? IBS_KIND_OP : IBS_KIND_FETCH,
		.caps = caps,
	};
	for (size_t i = 0; i < n; i++) {
		memcpy(&p->registers[order[i]], bytes + 8 * i, 8);
		registers |= 1u << order[i];
	}
	if (!has(caps, CAP_FETCH_EXTD))
		registers &= ~(1u << IBS_FETCH_EXTD);
	if (!has(caps, CAP_BRN_TRGT))
		registers &= ~(1u << IBS_BR_TARGET);
	return decode(p, cpu, registers);
}

/* ---- what applies ------------------------------------------------------------------------ */

/*
 * Restricts the TLB fields. Without a linear address no TLB was accessed; on Zen 4 and later the
 * refill needs a physical address.
 */
static void restrict_tlb(struct ibs_packet *p)
{
	if (!ibs_packet_is(p, IBS_LIN_VALID))
		FORGET(p, IBS_DC_L1TLB_MISS, IBS_DC_L1TLB_HIT_2M, IBS_DC_L1TLB_HIT_1G);
	if (!ibs_packet_is(p, IBS_DC_L1TLB_MISS))
		FORGET(p, IBS_DC_L2TLB_MISS, IBS_DC_L2TLB_HIT_2M, IBS_DC_L2TLB_HIT_1G,
		       IBS_TLB_REFILL_LAT);
	if (has(p->caps, CAP_ZEN4) && !ibs_packet_is(p, IBS_PHY_VALID))
		forget(p, IBS_TLB_REFILL_LAT);
}

/*
 * Returns true for Zen 3 and other processors with its core; the kernel ignores these states as
 * well.
 */
static bool has_no_cache_state(const struct ibs_cpu *cpu)
{
	return is_zen3(cpu) || (cpu->family == 0x19 && cpu->model >= 0x20 && cpu->model < 0x60);
}

static void restrict_source(struct ibs_packet *p, const struct ibs_cpu *cpu, bool missed)
{
	uint64_t l2_miss;
	bool beyond_l2 = missed && (!ibs_packet_get(p, IBS_L2_MISS, &l2_miss) || l2_miss);
	bool combining = cpu->family == 0x14 && get(p, IBS_WC); /* erratum 484 */

	if (!beyond_l2 || combining || !data_source(p))
		FORGET(p, IBS_DATA_SRC_LOW, IBS_DATA_SRC_HIGH, IBS_RMT_NODE, IBS_CACHE_HIT_ST,
		       IBS_RMT_SOCKET);
	if (has_no_cache_state(cpu))
		forget(p, IBS_CACHE_HIT_ST);
}

void ibs_packet_restrict(struct ibs_packet *p, const struct ibs_cpu *cpu)
{
	bool load = get(p, IBS_LD), store = get(p, IBS_ST), miss = get(p, IBS_DC_MISS);

	if (p->kind == IBS_KIND_FETCH) {
		if (!get(p, IBS_L1ITLB_MISS))
			forget(p, IBS_ITLB_REFILL_LAT);
		return;
	}
	if (!get(p, IBS_BRN_RET))
		FORGET(p, IBS_OP_RETURN, IBS_BRN_TAKEN, IBS_BRN_MISP, IBS_MISP_RETURN);
	if (!load && !store)
		FORGET(p, IBS_DC_L1TLB_MISS, IBS_DC_L1TLB_HIT_2M, IBS_DC_L1TLB_HIT_1G,
		       IBS_DC_PAGE_SIZE, IBS_DC_MISS, IBS_MISALIGNED, IBS_LD_BANK_CONFLICT,
		       IBS_ST_BANK_CONFLICT, IBS_ST_TO_LD_FWD, IBS_ST_TO_LD_CANCEL, IBS_WC, IBS_UC,
		       IBS_LOCKED, IBS_SW_PF, IBS_MEM_WIDTH);
	if ((!load && !store) || !miss)
		FORGET(p, IBS_MAB_HIT, IBS_NO_MAB_ALLOC, IBS_L2_MISS);
	if (!load || !miss)
		FORGET(p, IBS_DC_MISS_LAT, IBS_OPEN_MEM_REQS);
	restrict_tlb(p);
	restrict_source(p, cpu, load && miss);
}
