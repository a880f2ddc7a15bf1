/* SPDX-License-Identifier: MIT */
/* Packets in a file, written as they come: a JSON object a line. */
#ifndef IBS_PACKET_FILE_H
#define IBS_PACKET_FILE_H

#include "analyzers/ibs/packet/packet.h"
#include "cli/common/save_file.h"

/* Writes a packet: the members of its row, see packet_rows.h; null: not known. */
void ibs_packet_file_add(struct save_file *file, const struct ibs_packet *packet);

#endif
