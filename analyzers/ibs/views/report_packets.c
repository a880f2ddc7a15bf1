/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/packet_rows.h"
#include "analyzers/ibs/views/report.h"

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
