/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/data.h"

#include "cli/common/checked.h"

/* Sites and regions are numbered separately; the lowest bit tells them apart. */
enum { REGION = 0, SITE = 1 };

void slo_data_init(struct slo_data *data, struct tf_reader *reader, struct symbol_names *names,
		   bool partial)
{
	code_sites_init(&data->sites, reader, false, names);
	heap_objects_init(&data->objects, reader, NULL, &data->sites, false);
	memory_regions_init(&data->regions, reader, names, partial);
}

void slo_data_free(struct slo_data *data)
{
	memory_regions_free(&data->regions);
	heap_objects_free(&data->objects);
	code_sites_free(&data->sites);
}

void slo_data_event(struct slo_data *data, const struct tf_event *event)
{
	if (event->kind == TF_EVENT_MAPPING)
		memory_regions_change(&data->regions, event->mapping.index);
	else
		heap_objects_event(&data->objects, event);
}

uint32_t slo_data_at(struct slo_data *data, uint32_t process, uint64_t address)
{
	const struct heap_object *object = heap_objects_find(&data->objects, process, address);

	if (object && object->site != TF_NONE)
		return object->site << 1 | SITE;
	return memory_regions_find(&data->regions, process, address) << 1 | REGION;
}

char *slo_data_text(const struct slo_data *data, const struct slo_places *places, uint32_t number)
{
	if (!(number & SITE))
		return checked_copy(numbering_key(&data->regions.names, number >> 1));
	const struct code_site *site = &data->sites.sites.at[number >> 1];
	char *place = slo_place_text(places, site->module,
				     site->module == TF_NONE ? site->pc : site->module_offset);
	char *text = text_format("allocated at %s", place);

	free(place);
	return text;
}
