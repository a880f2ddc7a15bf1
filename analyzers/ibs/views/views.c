/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/views.h"

#include "analyzers/ibs/views/packet_rows.h"
#include "analyzers/ibs/views/report.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

int ibs_views_init(struct ibs_views *v, const struct ibs_views_options *o, struct tf_reader *reader,
		   bool partial, bool by_time)
{
	struct places_options places = {
		.lines = o->by.needs_lines || o->database,
		.mangled = o->mangled,
		.data = o->by.about_data || o->database,
		.keep_objects = o->by.are_objects,
		.by_time = by_time,
		.partial = partial,
	};

	*v = (struct ibs_views){ .options = o, .own_events = IBS_ZEN };
	places_init(&v->places, reader, &places);
	ibs_samplers_init(&v->samplers, reader);
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
		ibs_groups_init(&v->groups[kind], &o->by, kind, o->latency[kind]);
	if (o->database)
		v->database = ibs_database_create(o->database, &v->places);
	if (o->packet_file)
		v->packet_file = save_file_begin(o->packet_file);
	return (o->database && !v->database) || (o->packet_file && !v->packet_file) ? EXIT_FAILED
										    : 0;
}

void ibs_views_free(struct ibs_views *v)
{
	ibs_database_free(v->database);
	save_file_drop(v->packet_file);
	ibs_summary_free(&v->summary);
	ibs_samplers_free(&v->samplers);
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
		ibs_groups_free(&v->groups[kind]);
	places_free(&v->places);
	free(v->packets.at);
}

static void keep_packet(struct ibs_views *v, const struct ibs_packet *packet)
{
	CHECKED_RESERVE(v->packets, v->packets.count + 1);
	v->packets.at[v->packets.count++] = *packet;
}

/* Returns true if the sample accessed an object, but perhaps not the known one. */
static bool is_uncertain(struct ibs_views *v, const struct ibs_sample *sample)
{
	const struct place place = ibs_sample_place(sample);
	const struct heap_object *object;

	return v->places.by_time && places_object(&v->places, &place, &object) == PERHAPS;
}

void ibs_views_add(struct ibs_views *v, const struct ibs_sample *sample)
{
	const struct ibs_packet *packet = sample->packet;

	ibs_samplers_add(&v->samplers, sample);
	if (!ibs_where_holds(&v->options->where, sample)) {
		v->n_left_out++;
		return;
	}
	v->n_uncertain += is_uncertain(v, sample);
	ibs_summary_add(&v->summary, packet);
	ibs_groups_add(&v->groups[packet->kind], &v->places, sample);
	if (v->options->events)
		ibs_events_add(&v->events, packet);
	if (v->options->packets)
		keep_packet(v, packet);
	if (v->packet_file)
		ibs_packet_file_add(v->packet_file, packet);
	if (v->database)
		ibs_database_add(v->database, sample);
}

void ibs_views_note(struct ibs_views *v, struct report *r, const char *name, const char *value)
{
	report_string(r, name, value);
	if (v->database)
		ibs_database_note(v->database, name, value);
}

/* Completes the files of --packets and --sqlite. Returns 0, or an exit code after a message. */
static int finish_files(struct ibs_views *v)
{
	int saved = v->packet_file ? save_file_end(v->packet_file) : 0;
	int status = v->database ? ibs_database_finish(v->database) : 0;

	v->packet_file = NULL;
	return saved ? saved : status;
}

static void warn_of_unknown(const char *option, enum ibs_field field)
{
	command_warning("--%s=%s: not known of any sample", option, ibs_field_name(field));
}

/*
 * Warns of options that ask for fields which no sample has. The model and each processor have
 * different fields.
 */
static void check_options(const struct ibs_views *v)
{
	const struct ibs_groups *ops = &v->groups[IBS_KIND_OP];
	const struct ibs_groups *fetches = &v->groups[IBS_KIND_FETCH];
	const struct ibs_keys *by = &v->options->by;

	if (v->n_left_out && !ibs_summary_samples(&v->summary))
		command_warning("--where: not true of any sample; what depends on a field that is "
				"not known never is");
	if (!ops->samples && !fetches->samples)
		return;
	for (unsigned i = 0; i < by->count; i++)
		if (by->keys[i].kind == IBS_KEY_FIELD && !ibs_groups_know_key(ops, i) &&
		    !ibs_groups_know_key(fetches, i))
			warn_of_unknown("by", by->keys[i].of);
	if (ops->latency != IBS_USUAL_LATENCY && !ibs_groups_know_latency(ops))
		warn_of_unknown("latency", ops->latency);
	if (fetches->latency != IBS_USUAL_FETCH_LATENCY && !ibs_groups_know_latency(fetches))
		warn_of_unknown("latency", fetches->latency);
}

int ibs_views_report(struct ibs_views *v, struct report *r)
{
	const struct ibs_views_options *o = v->options;

	check_options(v);
	ibs_report_latencies(&v->summary, r);
	if (o->histogram)
		ibs_report_histogram(&v->summary, r);
	ibs_report_branches(&v->summary, r);
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++) {
		ibs_groups_sort(&v->groups[kind]);
		ibs_report_groups(&v->groups[kind], &v->places, o->top, r);
		if (o->histogram == IBS_HISTOGRAM_OF_GROUPS)
			ibs_report_group_histograms(&v->groups[kind], &v->places, o->top, r);
	}
	for (unsigned kind = 0; kind < IBS_N_KINDS; kind++)
		ibs_samplers_report(&v->samplers, kind, o->top, r);
	if (o->events)
		ibs_report_events(&v->events,
				  o->events == IBS_OWN_EVENTS ? v->own_events : o->events, r);
	for (unsigned kind = 0; kind < IBS_N_KINDS && o->packets; kind++)
		ibs_report_packets(v->packets.at, v->packets.count, kind, r);
	return finish_files(v);
}
