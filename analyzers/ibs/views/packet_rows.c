/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/packet_rows.h"

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

enum {
	N_LABELS = 3,
	MAX_COLUMNS = N_LABELS + IBS_N_PACKET_REGISTERS + IBS_N_FIELDS,
};

/* The cells of a sample: its labels, its registers, and its fields. */
struct row {
	uint64_t values[MAX_COLUMNS];
	bool known[MAX_COLUMNS];
};

/*
 * Returns the columns of packets of a kind, each a U64 or HEX. A register that is a single field
 * has one column, not two.
 */
static const struct report_column *columns_of(enum ibs_kind kind)
{
	static struct report_column of_kinds[IBS_N_KINDS][MAX_COLUMNS + 1];
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
static void fill_row(const struct ibs_packet *packet, struct row *row)
{
	bool register_known[IBS_N_PACKET_REGISTERS] = { false };
	uint64_t value;
	size_t n = N_LABELS;

	*row = (struct row){
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
	struct row row;
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		if (packets[i].kind != kind)
			continue;
		if (!begun)
			report_table(report, kind == IBS_KIND_OP ? "packets" : "fetches",
				     columns_of(kind));
		begun = true;
		fill_row(&packets[i], &row);
		report_row_of_known(report, NULL, row.values, row.known);
	}
}

void ibs_packet_file_add(struct save_file *file, const struct ibs_packet *packet)
{
	const struct report_column *columns = columns_of(packet->kind);
	json_t *object = checked(json_object());
	struct row row;

	fill_row(packet, &row);
	for (size_t i = 0; columns[i].name; i++)
		json_member(object, columns[i].name,
			    !row.known[i]                   ? json_null()
			    : columns[i].type == REPORT_HEX ? json_hex(row.values[i])
							    : json_number(row.values[i]));
	json_put_line(save_file_stream(file), object, 0);
}
