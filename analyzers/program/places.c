/* SPDX-License-Identifier: MIT */
#include "analyzers/program/places.h"

void places_init(struct places *p, struct tf_reader *reader, const struct places_options *o)
{
	*p = (struct places){
		.reader = reader,
		.names.mangled = o->mangled,
		.tracks_data = o->data,
	};
	code_sites_init(&p->sites, reader, o->lines, &p->names);
	if (!o->data)
		return;
	memory_regions_init(&p->regions, reader, &p->names, o->partial);
	heap_objects_init(&p->objects, reader, NULL, &p->sites, o->keep_objects || o->by_time);
	if (!o->by_time)
		return;
	p->by_time = true;
	lifetimes_init(&p->lifetimes, p->objects.n_threads);
	p->objects.lifetimes = &p->lifetimes;
}

void places_free(struct places *p)
{
	symbol_names_free(&p->names);
	code_sites_free(&p->sites);
	numbering_free(&p->texts);
	if (!p->tracks_data)
		return;
	memory_regions_free(&p->regions);
	heap_objects_free(&p->objects);
	if (p->by_time)
		lifetimes_free(&p->lifetimes);
}

void places_event(struct places *p, const struct tf_event *event)
{
	if (!p->tracks_data)
		return;
	if (event->kind == TF_EVENT_MAPPING)
		memory_regions_change(&p->regions, event->mapping.index);
	else
		heap_objects_event(&p->objects, event);
}

void places_replayed(struct places *p)
{
	if (p->by_time)
		heap_objects_replayed(&p->objects);
}

struct place place_of_insn(const struct tf_block *block, unsigned insn)
{
	uint32_t offset = block->insns[insn].offset;

	return (struct place){
		.process = TF_NONE,
		.thread = TF_NONE,
		.pc = block->pc + offset,
		.module = block->module,
		.module_offset = block->module_offset + offset,
		.block = block,
	};
}

enum certainty places_object(struct places *p, const struct place *place,
			     const struct heap_object **object)
{
	enum certainty certainty;
	uint32_t number;

	*object = NULL;
	if (!place->accesses)
		return NO_OBJECT;
	if (!p->by_time) {
		*object = heap_objects_find(&p->objects, place->process, place->address);
		return *object ? CERTAIN : NO_OBJECT;
	}
	certainty = lifetimes_find(&p->lifetimes, place->process, place->address, place->time_ns,
				   &number);
	if (certainty == CERTAIN)
		*object = p->objects.kept.at[number];
	return certainty;
}

uint32_t places_site(struct places *p, const struct place *place)
{
	return code_sites_add(&p->sites, place->pc, place->module, place->module_offset,
			      place->block);
}
