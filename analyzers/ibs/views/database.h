/* SPDX-License-Identifier: MIT */
/* Samples as an SQLite database; trace-ibs(1) has the schema. */
#ifndef IBS_DATABASE_H
#define IBS_DATABASE_H

#include "analyzers/ibs/packet/packet.h"
#include "analyzers/program/places.h"
#include "cli/common/command.h"

struct ibs_database;

/* Creates a file. Returns NULL after a message, for example if the file exists already. */
struct ibs_database *ibs_database_create(const char *path, struct places *places);

/* Frees a database; NULL is allowed. An unfinished file is removed. */
void ibs_database_free(struct ibs_database *database);

/* Adds a fact about all samples to the table of facts. ibs_database_finish reports errors. */
void ibs_database_note(struct ibs_database *database, const char *name, const char *value);
void ibs_database_add(struct ibs_database *database, const struct ibs_sample *sample);

/*
 * Writes the records to which samples refer, and commits. Returns 0, or EXIT_FAILED after a
 * message.
 */
int ibs_database_finish(struct ibs_database *database);

#endif
