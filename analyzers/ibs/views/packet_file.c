/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/packet_file.h"

#include "analyzers/ibs/views/packet_rows.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"

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
