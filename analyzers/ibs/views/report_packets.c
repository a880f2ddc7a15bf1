/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/report.h"

enum { LABELS = 3, PACKET_COLUMNS = LABELS + IBS_N_PACKET_REGISTERS + IBS_N_FIELDS };

/* A register that is one field is there once. */
static const struct report_column *packet_columns(enum ibs_kind kind)
{
	static struct report_column of_kinds[IBS_N_KINDS][PACKET_COLUMNS + 1];
	struct report_column *columns = of_kinds[kind];
	size_t n = 0;

	columns[n++] = (struct report_column){ "thread", REPORT_U64, "" };
	columns[n++] = (struct report_column){ "op", REPORT_U64, "" };
	columns[n++] = (struct report_column){ "caps", REPORT_HEX, "" };
	for (unsigned i = 0; i < IBS_N_PACKET_REGISTERS; i++)
		if (ibs_register_kind(i) == kind)
			columns[n++] = (struct report_column){ ibs_register_name(i), REPORT_HEX, "" };
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (ibs_register_kind(ibs_field_register(i)) == kind && !ibs_field_is_register(i))
			columns[n++] = (struct report_column){ ibs_field_name(i), REPORT_U64, "" };
	return columns;
}

/* Registers of which nothing is known are not there. */
static void report_packet(const struct ibs_packet *packet, struct report *report)
{
	bool known[PACKET_COLUMNS] = { true, true, true };
	bool register_known[IBS_N_PACKET_REGISTERS] = { false };
	uint64_t values[PACKET_COLUMNS] = { packet->thread, packet->op, packet->caps }, value;
	size_t n = LABELS;

	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		register_known[ibs_field_register(i)] |= ibs_packet_get(packet, i, &value);
	for (unsigned i = 0; i < IBS_N_PACKET_REGISTERS; i++)
		if (ibs_register_kind(i) == packet->kind) {
			values[n] = packet->registers[i];
			known[n++] = register_known[i];
		}
	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (ibs_register_kind(ibs_field_register(i)) == packet->kind &&
		    !ibs_field_is_register(i)) {
			known[n] = ibs_packet_get(packet, i, &value);
			values[n++] = value;
		}
	report_row_of_known(report, NULL, values, known);
}

void ibs_report_packets(const struct ibs_packet *packets, size_t count, enum ibs_kind kind,
			struct report *report)
{
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		if (packets[i].kind != kind)
			continue;
		if (!begun)
			report_table(report, kind == IBS_KIND_OP ? "packets" : "fetches",
				     packet_columns(kind));
		begun = true;
		report_packet(&packets[i], report);
	}
}
