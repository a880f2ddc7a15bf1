/* SPDX-License-Identifier: MIT */
/* Packets as rows of tables, and of a file. */
#ifndef IBS_PACKET_ROWS_H
#define IBS_PACKET_ROWS_H

#include "analyzers/ibs/packet/packet.h"
#include "cli/common/save_file.h"
#include "cli/common/tracereport.h"

enum {
	IBS_PACKET_LABELS = 3,
	IBS_PACKET_COLUMNS = IBS_PACKET_LABELS + IBS_N_PACKET_REGISTERS + IBS_N_FIELDS,
};

/* The cells of a sample: its number, its registers, and the fields that are known. */
struct ibs_packet_row {
	uint64_t values[IBS_PACKET_COLUMNS];
	bool known[IBS_PACKET_COLUMNS];
};

/* Returns the columns of packets of a kind, each a U64 or HEX. */
const struct report_column *ibs_packet_columns(enum ibs_kind kind);

void ibs_packet_row(const struct ibs_packet *packet, struct ibs_packet_row *row);

/* Writes a packet as a line, a JSON object of the members of its row; null: not known. */
void ibs_packet_file_add(struct save_file *file, const struct ibs_packet *packet);

/*
 * Reports the table "packets", or "fetches": a row for each sample of a kind, with its registers
 * and the fields that are known. Reports nothing if there is no such sample.
 */
void ibs_report_packets(const struct ibs_packet *packets, size_t count, enum ibs_kind kind,
			struct report *report);

#endif
