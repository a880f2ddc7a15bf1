/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet.h"

#include <string.h>

static const char *const register_names[IBS_N_PACKET_REGISTERS] = {
	"op_ctl", "op_rip", "op_data", "op_data2", "op_data3", "dc_lin", "dc_phys", "br_target",
};

static const struct field {
	const char *name;
	uint8_t reg, low, bits;
} fields[IBS_N_FIELDS] = {
	[IBS_MAX_CNT_LOW] = { "max_cnt_low", IBS_OP_CTL, 0, 16 },
	[IBS_L3_MISS_ONLY] = { "l3_miss_only", IBS_OP_CTL, 16, 1 },
	[IBS_EN] = { "en", IBS_OP_CTL, 17, 1 },
	[IBS_VAL] = { "val", IBS_OP_CTL, 18, 1 },
	[IBS_CNT_CTL] = { "cnt_ctl", IBS_OP_CTL, 19, 1 },
	[IBS_MAX_CNT_HIGH] = { "max_cnt_high", IBS_OP_CTL, 20, 7 },
	[IBS_CUR_CNT] = { "cur_cnt", IBS_OP_CTL, 32, 27 },
	[IBS_RIP] = { "rip", IBS_OP_RIP, 0, 64 },
	[IBS_COMP_TO_RET] = { "comp_to_ret", IBS_OP_DATA, 0, 16 },
	[IBS_TAG_TO_RET] = { "tag_to_ret", IBS_OP_DATA, 16, 16 },
	[IBS_OP_RETURN] = { "op_return", IBS_OP_DATA, 34, 1 },
	[IBS_BRN_TAKEN] = { "brn_taken", IBS_OP_DATA, 35, 1 },
	[IBS_BRN_MISP] = { "brn_misp", IBS_OP_DATA, 36, 1 },
	[IBS_BRN_RET] = { "brn_ret", IBS_OP_DATA, 37, 1 },
	[IBS_RIP_INVALID] = { "rip_invalid", IBS_OP_DATA, 38, 1 },
	[IBS_BRN_FUSE] = { "brn_fuse", IBS_OP_DATA, 39, 1 },
	[IBS_MICROCODE] = { "microcode", IBS_OP_DATA, 40, 1 },
	[IBS_DATA_SRC_LOW] = { "data_src_low", IBS_OP_DATA2, 0, 3 },
	[IBS_RMT_NODE] = { "rmt_node", IBS_OP_DATA2, 4, 1 },
	[IBS_CACHE_HIT_ST] = { "cache_hit_st", IBS_OP_DATA2, 5, 1 },
	[IBS_DATA_SRC_HIGH] = { "data_src_high", IBS_OP_DATA2, 6, 2 },
	[IBS_LD] = { "ld", IBS_OP_DATA3, 0, 1 },
	[IBS_ST] = { "st", IBS_OP_DATA3, 1, 1 },
	[IBS_DC_L1TLB_MISS] = { "dc_l1tlb_miss", IBS_OP_DATA3, 2, 1 },
	[IBS_DC_L2TLB_MISS] = { "dc_l2tlb_miss", IBS_OP_DATA3, 3, 1 },
	[IBS_DC_L1TLB_HIT_2M] = { "dc_l1tlb_hit_2m", IBS_OP_DATA3, 4, 1 },
	[IBS_DC_L1TLB_HIT_1G] = { "dc_l1tlb_hit_1g", IBS_OP_DATA3, 5, 1 },
	[IBS_DC_L2TLB_HIT_2M] = { "dc_l2tlb_hit_2m", IBS_OP_DATA3, 6, 1 },
	[IBS_DC_MISS] = { "dc_miss", IBS_OP_DATA3, 7, 1 },
	[IBS_MISALIGNED] = { "misaligned", IBS_OP_DATA3, 8, 1 },
	[IBS_WC] = { "wc", IBS_OP_DATA3, 13, 1 },
	[IBS_UC] = { "uc", IBS_OP_DATA3, 14, 1 },
	[IBS_LOCKED] = { "locked", IBS_OP_DATA3, 15, 1 },
	[IBS_NO_MAB_ALLOC] = { "dc_miss_no_mab_alloc", IBS_OP_DATA3, 16, 1 },
	[IBS_LIN_VALID] = { "lin_valid", IBS_OP_DATA3, 17, 1 },
	[IBS_PHY_VALID] = { "phy_valid", IBS_OP_DATA3, 18, 1 },
	[IBS_DC_L2TLB_HIT_1G] = { "dc_l2tlb_hit_1g", IBS_OP_DATA3, 19, 1 },
	[IBS_L2_MISS] = { "l2_miss", IBS_OP_DATA3, 20, 1 },
	[IBS_SW_PF] = { "sw_pf", IBS_OP_DATA3, 21, 1 },
	[IBS_MEM_WIDTH] = { "mem_width", IBS_OP_DATA3, 22, 4 },
	[IBS_OPEN_MEM_REQS] = { "open_mem_reqs", IBS_OP_DATA3, 26, 6 },
	[IBS_DC_MISS_LAT] = { "dc_miss_lat", IBS_OP_DATA3, 32, 16 },
	[IBS_TLB_REFILL_LAT] = { "tlb_refill_lat", IBS_OP_DATA3, 48, 16 },
	[IBS_LIN] = { "dc_lin", IBS_DC_LIN, 0, 64 },
	[IBS_PHYS] = { "dc_phys", IBS_DC_PHYS, 0, 64 },
	[IBS_TARGET] = { "br_target", IBS_BR_TARGET, 0, 64 },
};

const char *ibs_register_name(enum ibs_register reg)
{
	return register_names[reg];
}

const char *ibs_field_name(enum ibs_field field)
{
	return fields[field].name;
}

enum ibs_register ibs_field_register(enum ibs_field field)
{
	return fields[field].reg;
}

static uint64_t largest(const struct field *field)
{
	return ~0ull >> (64 - field->bits);
}

void ibs_packet_set(struct ibs_packet *packet, enum ibs_field which, uint64_t value)
{
	const struct field *field = &fields[which];
	uint64_t *reg = &packet->registers[field->reg];

	if (value > largest(field))
		value = largest(field);
	*reg = (*reg & ~(largest(field) << field->low)) | value << field->low;
	packet->known |= 1ull << which;
}

bool ibs_packet_get(const struct ibs_packet *packet, enum ibs_field which, uint64_t *value)
{
	const struct field *field = &fields[which];

	*value = packet->registers[field->reg] >> field->low & largest(field);
	return packet->known >> which & 1;
}

bool ibs_packet_is(const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t value;

	return ibs_packet_get(packet, field, &value) && value;
}

/* ---- what the model knows ---------------------------------------------------------------- */

void ibs_packet_set_sampler(struct ibs_packet *p, const struct ibs_sampler *sampler)
{
	ibs_packet_set(p, IBS_MAX_CNT_LOW, sampler->period >> 4 & 0xffff);
	ibs_packet_set(p, IBS_MAX_CNT_HIGH, sampler->period >> 20);
	ibs_packet_set(p, IBS_CUR_CNT, sampler->preload);
	ibs_packet_set(p, IBS_CNT_CTL, sampler->mode == IBS_OPS);
	ibs_packet_set(p, IBS_L3_MISS_ONLY, 0);
	ibs_packet_set(p, IBS_EN, 1);
	ibs_packet_set(p, IBS_VAL, 1);
}

static void fill_branch(struct ibs_packet *p, const struct ibs_op *op, bool mispredicted)
{
	uint8_t end = op->insn->end;
	bool is_branch = end >= TF_END_CONDITIONAL && end <= TF_END_RETURN;
	bool taken = op->taken || end != TF_END_CONDITIONAL;

	ibs_packet_set(p, IBS_BRN_RET, is_branch);
	if (!is_branch)
		return;
	ibs_packet_set(p, IBS_BRN_MISP, mispredicted);
	ibs_packet_set(p, IBS_BRN_TAKEN, taken);
	ibs_packet_set(p, IBS_OP_RETURN, end == TF_END_RETURN);
	if (taken)
		ibs_packet_set(p, IBS_TARGET, op->next_pc);
}

static void fill_miss(struct ibs_packet *p, const struct memory_access *memory)
{
	ibs_packet_set(p, IBS_DC_MISS_LAT, memory->miss_latency);
	ibs_packet_set(p, IBS_OPEN_MEM_REQS, memory->open_requests);
	if (memory->was_pending || !memory->l2_miss)
		return;
	ibs_packet_set(p, IBS_DATA_SRC_LOW,
		       memory->source == FROM_L3 ? IBS_SOURCE_L3 : IBS_SOURCE_DRAM);
	ibs_packet_set(p, IBS_DATA_SRC_HIGH, 0);
	ibs_packet_set(p, IBS_RMT_NODE, 0);
}

/* 1, 2, 3 ... for 1, 2, 4 ... bytes. */
static unsigned width_code(uint32_t size)
{
	return size ? 32 - __builtin_clz(size) : 0;
}

static void fill_memory(struct ibs_packet *p, const struct ibs_op *op, bool load,
			const struct memory_access *memory)
{
	ibs_packet_set(p, IBS_LIN_VALID, 1);
	ibs_packet_set(p, IBS_LIN, op->accesses[0].address);
	ibs_packet_set(p, IBS_MEM_WIDTH, width_code(op->accesses[0].size));
	ibs_packet_set(p, IBS_MISALIGNED, memory->crosses_line);
	ibs_packet_set(p, IBS_LOCKED, op->insn->locked);
	ibs_packet_set(p, IBS_DC_L1TLB_MISS, memory->l1_tlb_miss);
	if (memory->l1_tlb_miss) {
		ibs_packet_set(p, IBS_DC_L2TLB_MISS, memory->l2_tlb_miss);
		ibs_packet_set(p, IBS_TLB_REFILL_LAT, memory->tlb_refill);
	}
	ibs_packet_set(p, IBS_DC_MISS, memory->l1_miss);
	if (memory->l1_miss) {
		ibs_packet_set(p, IBS_NO_MAB_ALLOC, memory->was_pending);
		if (!memory->was_pending)
			ibs_packet_set(p, IBS_L2_MISS, memory->l2_miss);
	}
	if (memory->l1_miss && load)
		fill_miss(p, memory);
}

void ibs_packet_fill(struct ibs_packet *p, const struct ibs_op *op,
		     const struct ibs_timing *timing)
{
	bool load = false, store = false;

	for (unsigned i = 0; i < op->n_accesses; i++) {
		load |= op->accesses[i].kind == ACCESS_READ;
		store |= op->accesses[i].kind == ACCESS_WRITE;
	}
	memset(p->registers, 0, sizeof(p->registers));
	p->known = 0;
	p->insn = op->insn->index;
	ibs_packet_set(p, IBS_RIP, op->insn->pc);
	ibs_packet_set(p, IBS_RIP_INVALID, 0);
	ibs_packet_set(p, IBS_COMP_TO_RET, timing->retired - timing->completed);
	ibs_packet_set(p, IBS_TAG_TO_RET, timing->retired - timing->dispatched);
	ibs_packet_set(p, IBS_LD, load);
	ibs_packet_set(p, IBS_ST, store);
	ibs_packet_set(p, IBS_LIN_VALID, 0);
	ibs_packet_set(p, IBS_PHY_VALID, 0);
	fill_branch(p, op, timing->mispredicted);
	if (load || store)
		fill_memory(p, op, load, &timing->memory);
}
