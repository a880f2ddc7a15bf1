/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/views_options.h"

#include <stdio.h>
#include <string.h>

const char *ibs_option_where(const struct command_option *option, void *destination,
			     const char *text)
{
	(void)option;
	return ibs_where_parse(destination, text);
}

const char *ibs_option_by(const struct command_option *option, void *destination, const char *text)
{
	(void)option;
	return ibs_keys_parse(destination, text);
}

/* Returns the message for text that is not a latency, which lists all latencies. */
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

const char *ibs_option_latency(const struct command_option *option, void *destination,
			       const char *text)
{
	enum ibs_field field;
	uint8_t *latencies = destination;

	(void)option;
	if (!ibs_field_find(text, strlen(text), &field) || ibs_field_is_register(field))
		return list_latencies();
	latencies[ibs_register_kind(ibs_field_register(field))] = field;
	return NULL;
}

const char *ibs_option_histogram(const struct command_option *option, void *destination,
				 const char *text)
{
	unsigned *histogram = destination;

	if (text && strcmp(text, "all") && strcmp(text, "groups"))
		return analyzer_option_expects(option);
	*histogram = text && !strcmp(text, "groups") ? IBS_HISTOGRAM_OF_GROUPS
						     : IBS_HISTOGRAM_OF_ALL;
	return NULL;
}

const char *ibs_option_packets(const struct command_option *option, void *destination,
			       const char *text)
{
	struct ibs_views_options *options = destination;

	(void)option;
	options->packets = !text;
	options->packet_file = text;
	return NULL;
}

const char *ibs_option_events(const struct command_option *option, void *destination,
			      const char *text)
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
