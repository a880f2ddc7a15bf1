/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/packet_file.h"

#include <inttypes.h>

#include "analyzers/ibs/views/packet_rows.h"

static void put_value(FILE *out, const struct report_column *column, uint64_t value, bool known)
{
	if (!known)
		fprintf(out, "\"%s\": null", column->name);
	else if (column->type == REPORT_HEX)
		fprintf(out, "\"%s\": \"0x%" PRIx64 "\"", column->name, value);
	else
		fprintf(out, "\"%s\": %" PRIu64, column->name, value);
}

void ibs_packet_file_add(struct save_file *file, const struct ibs_packet *packet)
{
	const struct report_column *columns = ibs_packet_columns(packet->kind);
	FILE *out = save_file_stream(file);
	struct ibs_packet_row row;

	ibs_packet_row(packet, &row);
	for (size_t i = 0; columns[i].name; i++) {
		fputs(i ? ", " : "{", out);
		put_value(out, &columns[i], row.values[i], row.known[i]);
	}
	fputs("}\n", out);
}
