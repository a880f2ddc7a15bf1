/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/packet_rows.h"

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* A register that is a single field has one column, not two. */
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

/* A register without a known field has an unknown value. */
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

void ibs_report_packets(const struct ibs_packet *packets, size_t count, enum ibs_kind kind,
			struct report *report)
{
	struct ibs_packet_row row;
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		if (packets[i].kind != kind)
			continue;
		if (!begun)
			report_table(report, kind == IBS_KIND_OP ? "packets" : "fetches",
				     ibs_packet_columns(kind));
		begun = true;
		ibs_packet_row(&packets[i], &row);
		report_row_of_known(report, NULL, row.values, row.known);
	}
}

void ibs_packet_file_add(struct save_file *file, const struct ibs_packet *packet)
{
	const struct report_column *columns = ibs_packet_columns(packet->kind);
	json_t *object = checked(json_object());
	struct ibs_packet_row row;

	ibs_packet_row(packet, &row);
	for (size_t i = 0; columns[i].name; i++)
		json_member(object, columns[i].name,
			    !row.known[i]                   ? json_null()
			    : columns[i].type == REPORT_HEX ? json_hex(row.values[i])
							    : json_number(row.values[i]));
	json_put_line(save_file_stream(file), object, 0);
}
