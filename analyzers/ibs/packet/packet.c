/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/packet/packet.h"

#include <stdio.h>
#include <string.h>

static const char *const register_names[IBS_N_PACKET_REGISTERS] = {
	"op_ctl",    "op_rip",   "op_data",   "op_data2",  "op_data3",   "dc_lin",  "dc_phys",
	"br_target", "op_data4", "fetch_ctl", "fetch_lin", "fetch_phys", "extd_ctl"
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
	[IBS_LD_LAT_THRESHOLD] = { "ldlat_threshold", IBS_OP_CTL, 59, 4 },
	[IBS_LD_LAT_EN] = { "ldlat_en", IBS_OP_CTL, 63, 1 },
	[IBS_RIP] = { "rip", IBS_OP_RIP, 0, 64 },
	[IBS_COMP_TO_RET] = { "comp_to_ret", IBS_OP_DATA, 0, 16 },
	[IBS_TAG_TO_RET] = { "tag_to_ret", IBS_OP_DATA, 16, 16 },
	[IBS_BRN_RESYNC] = { "brn_resync", IBS_OP_DATA, 32, 1 },
	[IBS_MISP_RETURN] = { "misp_return", IBS_OP_DATA, 33, 1 },
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
	[IBS_STREAMING_STORE] = { "strm_st", IBS_OP_DATA2, 8, 1 },
	[IBS_RMT_SOCKET] = { "rmt_socket", IBS_OP_DATA2, 9, 1 },
	[IBS_LD] = { "ld", IBS_OP_DATA3, 0, 1 },
	[IBS_ST] = { "st", IBS_OP_DATA3, 1, 1 },
	[IBS_DC_L1TLB_MISS] = { "dc_l1tlb_miss", IBS_OP_DATA3, 2, 1 },
	[IBS_DC_L2TLB_MISS] = { "dc_l2tlb_miss", IBS_OP_DATA3, 3, 1 },
	[IBS_DC_L1TLB_HIT_2M] = { "dc_l1tlb_hit_2m", IBS_OP_DATA3, 4, 1 },
	[IBS_DC_L1TLB_HIT_1G] = { "dc_l1tlb_hit_1g", IBS_OP_DATA3, 5, 1 },
	[IBS_DC_PAGE_SIZE] = { "dc_page_size", IBS_OP_DATA3, 4, 2 },
	[IBS_DC_L2TLB_HIT_2M] = { "dc_l2tlb_hit_2m", IBS_OP_DATA3, 6, 1 },
	[IBS_DC_MISS] = { "dc_miss", IBS_OP_DATA3, 7, 1 },
	[IBS_MISALIGNED] = { "misaligned", IBS_OP_DATA3, 8, 1 },
	[IBS_LD_BANK_CONFLICT] = { "ld_bank_conflict", IBS_OP_DATA3, 9, 1 },
	[IBS_ST_BANK_CONFLICT] = { "st_bank_conflict", IBS_OP_DATA3, 10, 1 },
	[IBS_ST_TO_LD_FWD] = { "st_to_ld_fwd", IBS_OP_DATA3, 11, 1 },
	[IBS_ST_TO_LD_CANCEL] = { "st_to_ld_cancel", IBS_OP_DATA3, 12, 1 },
	[IBS_WC] = { "wc", IBS_OP_DATA3, 13, 1 },
	[IBS_UC] = { "uc", IBS_OP_DATA3, 14, 1 },
	[IBS_LOCKED] = { "locked", IBS_OP_DATA3, 15, 1 },
	[IBS_MAB_HIT] = { "mab_hit", IBS_OP_DATA3, 16, 1 },
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
	[IBS_LD_RESYNC] = { "ld_resync", IBS_OP_DATA4, 0, 1 },
	[IBS_FETCH_MAX_CNT] = { "fetch_max_cnt", IBS_FETCH_CTL, 0, 16 },
	[IBS_FETCH_CNT] = { "fetch_cnt", IBS_FETCH_CTL, 16, 16 },
	[IBS_FETCH_LAT] = { "fetch_lat", IBS_FETCH_CTL, 32, 16 },
	[IBS_FETCH_EN] = { "fetch_en", IBS_FETCH_CTL, 48, 1 },
	[IBS_FETCH_VAL] = { "fetch_val", IBS_FETCH_CTL, 49, 1 },
	[IBS_FETCH_COMP] = { "fetch_comp", IBS_FETCH_CTL, 50, 1 },
	[IBS_IC_MISS] = { "ic_miss", IBS_FETCH_CTL, 51, 1 },
	[IBS_FETCH_PHY_VALID] = { "fetch_phy_valid", IBS_FETCH_CTL, 52, 1 },
	[IBS_ITLB_PAGE_SIZE] = { "itlb_page_size", IBS_FETCH_CTL, 53, 2 },
	[IBS_L1ITLB_MISS] = { "l1itlb_miss", IBS_FETCH_CTL, 55, 1 },
	[IBS_L2ITLB_MISS] = { "l2itlb_miss", IBS_FETCH_CTL, 56, 1 },
	[IBS_RAND_EN] = { "rand_en", IBS_FETCH_CTL, 57, 1 },
	[IBS_FETCH_L2_MISS] = { "fetch_l2_miss", IBS_FETCH_CTL, 58, 1 },
	[IBS_FETCH_L3_MISS_ONLY] = { "fetch_l3_miss_only", IBS_FETCH_CTL, 59, 1 },
	[IBS_OC_MISS] = { "oc_miss", IBS_FETCH_CTL, 60, 1 },
	[IBS_FETCH_L3_MISS] = { "fetch_l3_miss", IBS_FETCH_CTL, 61, 1 },
	[IBS_FETCH_LINEAR] = { "fetch_lin", IBS_FETCH_LIN, 0, 64 },
	[IBS_FETCH_PHYSICAL] = { "fetch_phys", IBS_FETCH_PHYS, 0, 64 },
	[IBS_ITLB_REFILL_LAT] = { "itlb_refill_lat", IBS_FETCH_EXTD, 0, 16 },
};

const char *ibs_register_name(enum ibs_register reg)
{
	return register_names[reg];
}

const char *ibs_field_name(enum ibs_field field)
{
	return fields[field].name;
}

void ibs_fields_list(char *text, size_t size)
{
	for (unsigned i = 0; i < IBS_N_FIELDS && strlen(fields[i].name) + 2 <= size; i++) {
		size_t length = (size_t)sprintf(text, " %s", fields[i].name);

		text += length;
		size -= length;
	}
}

bool ibs_field_find(const char *name, size_t length, enum ibs_field *field)
{
	static const char alias[] = "lat";

	if (length == strlen(alias) && !memcmp(name, alias, length)) {
		*field = IBS_DC_MISS_LAT;
		return true;
	}
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (strlen(fields[i].name) == length && !memcmp(fields[i].name, name, length)) {
			*field = i;
			return true;
		}
	return false;
}

enum ibs_register ibs_field_register(enum ibs_field field)
{
	return fields[field].reg;
}

enum ibs_kind ibs_register_kind(enum ibs_register reg)
{
	return reg < IBS_FETCH_CTL ? IBS_KIND_OP : IBS_KIND_FETCH;
}

bool ibs_field_is_register(enum ibs_field field)
{
	return fields[field].bits == 64;
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
	packet->known[which / 64] |= 1ull << which % 64;
}

bool ibs_packet_get(const struct ibs_packet *packet, enum ibs_field which, uint64_t *value)
{
	const struct field *field = &fields[which];

	*value = packet->registers[field->reg] >> field->low & largest(field);
	return packet->known[which / 64] >> which % 64 & 1;
}

bool ibs_packet_is(const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t value;

	return ibs_packet_get(packet, field, &value) && value;
}
