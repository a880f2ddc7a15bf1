/* SPDX-License-Identifier: MIT */
/*
 * libtraceformat - write and read execution traces (FORMAT.md is the file, byte by byte).
 *
 * A trace has a static part, the dictionary, and a dynamic part, one stream a thread:
 *
 *   dictionary   modules > basic blocks (code bytes, memory operands) > paths (blocks in a row,
 *                exits, and a recipe for each data address)
 *   streams      the exits taken, the slots (register values) the recipes need, and events
 *
 * Reading, in full:
 *
 *	struct tf_error error;
 *	struct tf_reader *reader;
 *	struct tf_cursor *cursor;
 *	struct tf_item item;
 *
 *	if (tf_open("ls.trace", &reader, &error) < 0)
 *		errx(1, "%s", error.text);
 *	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
 *	options.view = TF_VIEW_BLOCKS;
 *	options.columns = TF_ADDRESSES;
 *	if (tf_cursor_open(reader, &options, &cursor, &error) < 0)
 *		errx(1, "%s", error.text);
 *	while (tf_next(cursor, &item, &error) > 0)
 *		for (size_t i = 0; i < item.count; i++)
 *			use(item.blocks[i].block, item.blocks[i].values);
 *	tf_cursor_close(cursor);
 *	tf_close(reader);
 *
 * This includes all of its parts, which are in api/:
 *
 *	limits.h, errors.h
 *	blocks.h, superblocks.h, program.h			the dictionary
 *	events.h, samples.h				what streams have beside executions
 *	reader.h, info.h, cursor.h, accesses.h		reading
 *	writer.h, rewrite.h				writing
 *
 * Rules that hold throughout:
 * - Functions that can fail return 0 (or a count) or a negative enum tf_status, and then fill
 *   *error, which may be NULL. Results through pointers are set on success alone.
 * - The library prints nothing, ends nothing, and has no global state.
 * - A reader may serve several threads once tf_load() has succeeded, each with cursors of its
 *   own. A writer may be called from several threads; one tf_stream belongs to one at a time.
 * - An ordinal is the number of a retired instruction within its thread's stream, from 0.
 *   An instruction is one retired architectural instruction; a rep string instruction is one,
 *   with a repetition count.
 */
#ifndef TRACEFORMAT_H
#define TRACEFORMAT_H

#define TF_FORMAT_MAJOR 1
#define TF_FORMAT_MINOR 4

#include "traceformat/api/limits.h"
#include "traceformat/api/errors.h"
#include "traceformat/api/blocks.h"
#include "traceformat/api/paths.h"
#include "traceformat/api/program.h"
#include "traceformat/api/events.h"
#include "traceformat/api/samples.h"
#include "traceformat/api/reader.h"
#include "traceformat/api/info.h"
#include "traceformat/api/cursor.h"
#include "traceformat/api/accesses.h"
#include "traceformat/api/writer.h"
#include "traceformat/api/rewrite.h"

#endif
