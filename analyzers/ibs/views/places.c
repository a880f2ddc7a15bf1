/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/places.h"

void ibs_places_init(struct ibs_places *p, struct tf_reader *reader,
		     const struct ibs_places_options *o)
{
	*p = (struct ibs_places){
		.reader = reader,
		.names.mangled = o->mangled,
		.tracks_data = o->data,
	};
	code_sites_init(&p->sites, reader, o->lines, &p->names);
	if (!o->data)
		return;
	memory_regions_init(&p->regions, reader, &p->names, o->partial);
	heap_objects_init(&p->objects, reader, &p->sites, o->keep_objects || o->by_time);
	if (!o->by_time)
		return;
	p->by_time = true;
	lifetimes_init(&p->lifetimes, p->objects.n_threads);
	p->objects.lifetimes = &p->lifetimes;
}

void ibs_places_free(struct ibs_places *p)
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

void ibs_places_event(struct ibs_places *p, const struct tf_event *event)
{
	if (!p->tracks_data)
		return;
	if (event->kind == TF_EVENT_MAPPING)
		memory_regions_change(&p->regions, event->mapping.index);
	else
		heap_objects_event(&p->objects, event);
}

void ibs_places_replayed(struct ibs_places *p)
{
	if (p->by_time)
		heap_objects_replayed(&p->objects);
}

enum certainty ibs_places_object(struct ibs_places *p, const struct ibs_sample *sample,
				 const struct heap_object **object)
{
	enum certainty certainty;
	uint64_t address;
	uint32_t number;

	*object = NULL;
	if (!ibs_packet_get(sample->packet, IBS_LIN, &address))
		return NO_OBJECT;
	if (!p->by_time) {
		*object = heap_objects_find(&p->objects, sample->process, address);
		return *object ? CERTAIN : NO_OBJECT;
	}
	certainty = lifetimes_find(&p->lifetimes, sample->process, address, sample->time_ns,
				   &number);
	if (certainty == CERTAIN)
		*object = p->objects.kept.at[number];
	return certainty;
}

struct ibs_sample ibs_places_sample(const struct ibs_code *code, uint32_t insn)
{
	const struct ibs_insn *place = &code->insns[insn];
	const struct tf_block *block = tf_block(code->reader, place->block);

	return (struct ibs_sample){
		.process = TF_NONE,
		.thread = TF_NONE,
		.cpu = TF_NONE,
		.pc = place->pc,
		.module = block->module,
		.module_offset = block->module_offset + place->pc - block->pc,
		.block = block,
	};
}

uint32_t ibs_places_site(struct ibs_places *p, const struct ibs_sample *s)
{
	return code_sites_add(&p->sites, s->pc, s->module, s->module_offset, s->block);
}
