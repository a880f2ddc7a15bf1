/* SPDX-License-Identifier: MIT */
/* The numbers of the file format: FORMAT.md gives their meaning. */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdint.h>

#define FILE_MAGIC    "\x89TRC\r\n\x1a\n"
#define SECTION_SYNC  "\xf3TRCSEC\n"
#define TRAILER_MAGIC "TRCEND\r\n"

enum {
	FILE_HEADER_SIZE = 64,
	SECTION_HEADER_SIZE = 80,
	COLUMN_DESCRIPTOR_SIZE = 32,
	INDEX_ENTRY_SIZE = 64,
	TRAILER_SIZE = 32,
	COPY_HEAD_SIZE = INDEX_ENTRY_SIZE + 8, /* of one section in COPIES */
	BYTE_ORDER_MARK = 0x0a0b0c0d,
};

/* The lowest minor versions whose readers can read what this writer writes. */
enum { REQUIRED_MINOR = 1, REQUIRED_MINOR_WITHHELD = 7 };

/* FORMAT.md 2.1 */
enum incompat_feature { INCOMPAT_CODE_WITHHELD = 1, KNOWN_INCOMPAT = 1 };
enum compat_feature { COMPAT_NO_ADDRESSES = 1, COMPAT_ORDER_EXACT = 2, COMPAT_REPAIRED = 4 };

/* FORMAT.md 2.2 */
enum section_kind {
	SECTION_META = 1,
	SECTION_MODULES = 2,
	SECTION_SYMBOLS = 3,
	SECTION_PROCESSES = 4,
	SECTION_THREADS = 5,
	SECTION_MAPPINGS = 6,
	SECTION_FUNCTIONS = 7,
	SECTION_REGIONS = 8,
	SECTION_BLOCKS = 9,
	SECTION_PATHS = 10,
	SECTION_SAMPLERS = 11,
	SECTION_KINDS = 12,
	SECTION_CHUNK = 16,
	SECTION_SCHEDULE = 18,
	SECTION_SAMPLES = 19,
	SECTION_COPIES = 20,
	SECTION_VECTORS = 21,
	SECTION_INTERVALS = 22,
	SECTION_END = 62,
	SECTION_INDEX = 63,
};

enum section_flag { SECTION_CRITICAL = 1, SECTION_SAFE_TO_COPY = 2, SECTION_FLAGS_KNOWN = 3 };

enum codec { CODEC_STORED = 0, CODEC_ZSTD = 1, CODEC_COLUMNS = 2 };

/* FORMAT.md 4.4 */
enum sample_mode { SAMPLE_MODE = 7, SAMPLE_EXACT_IP = 8, SAMPLE_OVERHEAD = 16 };

/* FORMAT.md 5 */
enum column {
	COLUMN_HEAD = 1,
	COLUMN_FLOW_RUNS = 2,
	COLUMN_FLOW_MISSES = 3,
	COLUMN_PARTIALS = 4,
	COLUMN_FLOW = 5,
	COLUMN_SLOT_HITS = 16,
	COLUMN_SLOT_MISSES = 17,
	COLUMN_SLOT_MODELS = 18,
	COLUMN_SLOTS = 19,
	COLUMN_SLOT_MISSES_0 = 20, /* to 23: RESIDUAL_PLANES */
	COLUMN_SLOT_SOURCES = 24,
	COLUMN_EVENTS = 32,
	COLUMN_CRITICAL = 0x8000,
};

enum { CODING_PLAIN = 0, CODING_PREDICTED = 1, CODING_MODELLED = 2 };

/* FORMAT.md 7: what a reader accepts at most, so that a hostile file cannot exhaust it */
#define MAX_RAW_SIZE             (UINT64_C(1) << 28)  /* bytes of one column or payload */
#define MAX_CHUNK_SIZE           (UINT64_C(96) << 20) /* bytes of the columns of a chunk */
#define MAX_EXPANSION            45000                /* zstd cannot expand more */
#define MAX_DICTIONARY_EXPANSION 256
#define MAX_CHUNK_INSTRUCTIONS   (UINT64_C(1) << 26)
#define MAX_CHUNK_REPETITIONS    (UINT64_C(1) << 40) /* of rep instructions */
#define MAX_RECORDS              (UINT64_C(1) << 28) /* of one dictionary kind */
#define MAX_THREADS              (UINT64_C(1) << 20)
#define MAX_END_SIZE             (MAX_THREADS * 90 + 4096) /* bytes */
#define MAX_GAP                  (UINT64_C(1) << 20)       /* records of lost dictionary sections */

#endif
