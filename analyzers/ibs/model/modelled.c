/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/modelled.h"

#include <string.h>

static void set_fetch_sampler(struct ibs_packet *p, const struct ibs_sampler *sampler)
{
	ibs_packet_set(p, IBS_FETCH_MAX_CNT, sampler->period >> 4);
	ibs_packet_set(p, IBS_FETCH_CNT, sampler->period >> 4);
	ibs_packet_set(p, IBS_FETCH_EN, 1);
	ibs_packet_set(p, IBS_FETCH_VAL, 1);
	ibs_packet_set(p, IBS_RAND_EN, sampler->randomization != IBS_RANDOM_NONE);
	ibs_packet_set(p, IBS_FETCH_L3_MISS_ONLY, 0);
}

void ibs_packet_set_sampler(struct ibs_packet *p, const struct ibs_sampler *sampler)
{
	if (p->kind == IBS_KIND_FETCH) {
		set_fetch_sampler(p, sampler);
		return;
	}
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
	uint8_t end = op->facts->end;
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

/* Returns 1, 2, 3 ... for 1, 2, 4 ... bytes. */
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
	ibs_packet_set(p, IBS_LOCKED, op->facts->locked);
	ibs_packet_set(p, IBS_SW_PF, op->facts->is_prefetch);
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

static void clear(struct ibs_packet *p, enum ibs_kind kind, const struct ibs_op_facts *facts)
{
	memset(p->registers, 0, sizeof(p->registers));
	memset(p->known, 0, sizeof(p->known));
	p->kind = kind;
	p->caps = IBS_CAPS_ZEN4;
	p->insn = facts->insn;
}

void ibs_packet_fill(struct ibs_packet *p, const struct ibs_op *op, const struct ibs_timing *timing)
{
	bool load = false, store = false;

	for (unsigned i = 0; i < op->n_accesses; i++) {
		load |= op->accesses[i].kind == ACCESS_READ;
		store |= op->accesses[i].kind == ACCESS_WRITE;
	}
	clear(p, IBS_KIND_OP, op->facts);
	ibs_packet_set(p, IBS_RIP, op->facts->pc);
	ibs_packet_set(p, IBS_RIP_INVALID, 0);
	ibs_packet_set(p, IBS_COMP_TO_RET, timing->retired - timing->completed);
	ibs_packet_set(p, IBS_TAG_TO_RET, timing->retired - timing->dispatched);
	ibs_packet_set(p, IBS_LD, load);
	ibs_packet_set(p, IBS_ST, store);
	ibs_packet_set(p, IBS_MICROCODE, op->facts->n_ops > IBS_MOST_DIRECT_OPS);
	ibs_packet_set(p, IBS_LIN_VALID, 0);
	ibs_packet_set(p, IBS_PHY_VALID, 0);
	fill_branch(p, op, timing->mispredicted);
	if (load || store)
		fill_memory(p, op, load, &timing->memory);
}

void ibs_packet_fill_fetch(struct ibs_packet *p, const struct ibs_op_facts *op,
			   const struct fetch *fetch)
{
	clear(p, IBS_KIND_FETCH, op);
	ibs_packet_set(p, IBS_FETCH_LINEAR, fetch->address);
	ibs_packet_set(p, IBS_FETCH_LAT, fetch->latency);
	ibs_packet_set(p, IBS_FETCH_COMP, 1);
	ibs_packet_set(p, IBS_FETCH_PHY_VALID, 0);
	ibs_packet_set(p, IBS_L1ITLB_MISS, fetch->translated.l1_miss);
	if (fetch->translated.l1_miss) {
		ibs_packet_set(p, IBS_L2ITLB_MISS, fetch->translated.l2_miss);
		ibs_packet_set(p, IBS_ITLB_REFILL_LAT, fetch->translated.refill);
	}
	if (fetch->op_cache != OP_CACHE_NONE)
		ibs_packet_set(p, IBS_OC_MISS, fetch->op_cache == OP_CACHE_MISS);
	ibs_packet_set(p, IBS_IC_MISS, fetch->l1_miss);
	if (fetch->l1_miss) {
		ibs_packet_set(p, IBS_FETCH_L2_MISS, fetch->source > FROM_L2);
		ibs_packet_set(p, IBS_FETCH_L3_MISS, fetch->source > FROM_L3);
	}
}
