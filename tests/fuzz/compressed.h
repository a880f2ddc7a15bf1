/* SPDX-License-Identifier: MIT */
/* Bytes compressed as whole files, for readers that take such ones. */
#ifndef COMPRESSED_H
#define COMPRESSED_H

#include "traceformat/common/bytes.h"

enum compression { BY_GZIP, BY_XZ, BY_BZIP2, BY_ZSTD, N_COMPRESSIONS };

/* Replaces bytes by a compressed file of the same. Leaves them as they are if that fails. */
void compress_bytes(struct buffer *bytes, enum compression by);

#endif
