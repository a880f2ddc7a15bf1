/* SPDX-License-Identifier: MIT */
/* Packets as rows of tables, and of a file. */
#ifndef IBS_PACKET_ROWS_H
#define IBS_PACKET_ROWS_H

#include "analyzers/ibs/packet/packet.h"
#include "cli/common/save_file.h"
#include "cli/common/tracereport.h"

/* Writes a packet as a line, a JSON object of the members of its row; null: not known. */
void ibs_packet_file_add(struct save_file *file, const struct ibs_packet *packet);

/*
 * Reports the table "packets", or "fetches": a row for each sample of a kind, with its registers
 * and the fields that are known. Reports nothing if there is no such sample.
 */
void ibs_report_packets(const struct ibs_packet *packets, size_t count, enum ibs_kind kind,
			struct report *report);

#endif
