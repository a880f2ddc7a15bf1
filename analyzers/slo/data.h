/* SPDX-License-Identifier: MIT */
/* Names data: objects by the place of their allocation, variables, regions of memory. */
#ifndef SLO_DATA_H
#define SLO_DATA_H

#include "analyzers/program/heap_objects.h"
#include "analyzers/program/memory_regions.h"
#include "analyzers/slo/places.h"

struct slo_data {
	struct code_sites sites;
	struct heap_objects objects;
	struct memory_regions regions;
};

/*
 * The reader must be loaded; it and names must outlive *data. partial: some events will not be
 * given. Memory that is out ends the process, here and below.
 */
void slo_data_init(struct slo_data *data, struct tf_reader *reader, struct symbol_names *names,
		   bool partial);
void slo_data_free(struct slo_data *data);

void slo_data_event(struct slo_data *data, const struct tf_event *event);

/* States that a thread goes on with a block after events. */
static inline void slo_data_block(struct slo_data *data, uint32_t thread,
				  const struct tf_block *block)
{
	heap_objects_block(&data->objects, thread, block);
}

/* Returns the number of the data that are at an address now. */
uint32_t slo_data_at(struct slo_data *data, uint32_t process, uint64_t address);

/* Returns "allocated at list.c:12", "[stack]", or "libm.so.6:table". Free it. */
char *slo_data_text(const struct slo_data *data, const struct slo_places *places, uint32_t number);

#endif
