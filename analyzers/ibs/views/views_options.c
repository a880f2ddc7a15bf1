/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/views_options.h"

#include <stdio.h>
#include <string.h>

SHARED_OPTION_PARSER(ibs_option_where)
{
	return ibs_where_parse(destination, text);
}

SHARED_OPTION_PARSER(ibs_option_by)
{
	return ibs_keys_parse(destination, text);
}

/* Returns the message for a text that is no latency, with a list of all latencies. */
static const char *list_latencies(void)
{
	static char text[1024];
	int size = snprintf(text, sizeof(text), "expected is one of");

	for (unsigned i = 0; i < IBS_N_FIELDS; i++)
		if (!ibs_field_is_register(i))
			size += snprintf(text + size, sizeof(text) - (size_t)size, " %s",
					 ibs_field_name(i));
	return text;
}

SHARED_OPTION_PARSER(ibs_option_latency)
{
	enum ibs_field field;
	uint8_t *latencies = destination;

	if (!ibs_field_find(text, strlen(text), &field) || ibs_field_is_register(field))
		return list_latencies();
	latencies[ibs_register_kind(ibs_field_register(field))] = field;
	return NULL;
}

SHARED_OPTION_PARSER(ibs_option_histogram)
{
	unsigned *histogram = destination;

	if (text && strcmp(text, "all") && strcmp(text, "groups"))
		return analyzer_option_expects(option);
	*histogram = text && !strcmp(text, "groups") ? IBS_HISTOGRAM_OF_GROUPS
						     : IBS_HISTOGRAM_OF_ALL;
	return NULL;
}

SHARED_OPTION_PARSER(ibs_option_packets)
{
	struct ibs_views_options *options = destination;

	options->packets = !text;
	options->packet_file = text;
	return NULL;
}

SHARED_OPTION_PARSER(ibs_option_events)
{
	static const struct {
		const char *name;
		unsigned sets;
	} choices[] = {
		{ "auto", IBS_OWN_EVENTS },
		{ "zen", IBS_ZEN },
		{ "classic", IBS_CLASSIC },
		{ "all", IBS_ZEN | IBS_CLASSIC },
	};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (!strcmp(text ? text : "auto", choices[i].name)) {
			*(unsigned *)destination = choices[i].sets;
			return NULL;
		}
	return analyzer_option_expects(option);
}
