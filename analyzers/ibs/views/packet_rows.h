/* SPDX-License-Identifier: MIT */
/* Packets as rows: the sample, its registers, and its fields as far as known. */
#ifndef IBS_PACKET_ROWS_H
#define IBS_PACKET_ROWS_H

#include "analyzers/ibs/packet/packet.h"
#include "cli/common/tracereport.h"

enum {
	IBS_PACKET_LABELS = 3,
	IBS_PACKET_COLUMNS = IBS_PACKET_LABELS + IBS_N_PACKET_REGISTERS + IBS_N_FIELDS,
};

struct ibs_packet_row {
	uint64_t values[IBS_PACKET_COLUMNS];
	bool known[IBS_PACKET_COLUMNS];
};

/* Returns the columns of packets of a kind, each a U64 or HEX. */
const struct report_column *ibs_packet_columns(enum ibs_kind kind);

void ibs_packet_row(const struct ibs_packet *packet, struct ibs_packet_row *row);

#endif
