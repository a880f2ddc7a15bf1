/* SPDX-License-Identifier: MIT */
/* Compresses bytes as whole files, for readers that accept compressed files. */
#ifndef COMPRESSED_H
#define COMPRESSED_H

#include "traceformat/common/bytes.h"

enum compression { BY_GZIP, BY_XZ, BY_BZIP2, BY_ZSTD, N_COMPRESSIONS };

/* Replaces the bytes by a compressed file of the same content. Leaves them unchanged on failure. */
void compress_bytes(struct buffer *bytes, enum compression by);

#endif
