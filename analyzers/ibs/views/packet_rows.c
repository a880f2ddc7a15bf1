/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/packet_rows.h"

/* Makes the columns. A register that is one field has one column. */
const struct report_column *ibs_packet_columns(enum ibs_kind kind)
{
	static struct report_column of_kinds[IBS_N_KINDS][IBS_PACKET_COLUMNS + 1];
	struct report_column *columns = of_kinds[kind];
	size_t n = 0;

	columns[n++] = (struct report_column){ "thread", REPORT_ID, "" };
	columns[n++] = (struct report_column){ "op", REPORT_U64, "" };
	columns[n++] = (struct report_column){ "caps", REPORT_HEX, "" };
	for (unsigned i = 0; i < IBS_N_PACKET_REGISTERS; i++)
		if (ibs_register_kind(i) == kind)
			columns[n++] = (struct report_column){ ibs_register_name(i), REPORT_HEX,
							       "" };
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (ibs_register_kind(ibs_field_register(i)) == kind && !ibs_field_is_register(i))
			columns[n++] = (struct report_column){ ibs_field_name(i), REPORT_U64, "" };
	return columns;
}

/* Makes a row. Registers without known fields are left out. */
void ibs_packet_row(const struct ibs_packet *packet, struct ibs_packet_row *row)
{
	bool register_known[IBS_N_PACKET_REGISTERS] = { false };
	uint64_t value;
	size_t n = IBS_PACKET_LABELS;

	*row = (struct ibs_packet_row){
		{ packet->thread, packet->op, packet->caps },
		{ true, true, true },
	};
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		register_known[ibs_field_register(i)] |= ibs_packet_get(packet, i, &value);
	for (unsigned i = 0; i < IBS_N_PACKET_REGISTERS; i++)
		if (ibs_register_kind(i) == packet->kind) {
			row->values[n] = packet->registers[i];
			row->known[n++] = register_known[i];
		}
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (ibs_register_kind(ibs_field_register(i)) == packet->kind &&
		    !ibs_field_is_register(i)) {
			row->known[n] = ibs_packet_get(packet, i, &row->values[n]);
			n++;
		}
}
