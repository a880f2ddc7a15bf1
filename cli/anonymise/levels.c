/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/levels.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/option_parsers.h"

const char *const switch_names[N_SWITCHES] = {
	[SWITCH_NAMES] = "names",     [SWITCH_EVENTS] = "events", [SWITCH_ADDRESSES] = "addresses",
	[SWITCH_EXTRAS] = "extras",   [SWITCH_ORDER] = "order",   [SWITCH_CODE] = "code",
	[SWITCH_SAMPLES] = "samples", [SWITCH_TIMES] = "times",
};

const char *const switch_words[N_SWITCHES] = {
	[SWITCH_NAMES] = "keep|hash|drop",
	[SWITCH_EVENTS] = "keep|no-arguments|kinds",
	[SWITCH_ADDRESSES] = "keep|regions|pages|drop",
	[SWITCH_EXTRAS] = "keep|drop",
	[SWITCH_ORDER] = "keep|shuffle",
	[SWITCH_CODE] = "keep|no-constants|facts|regdeps",
	[SWITCH_SAMPLES] = "keep|drop",
	[SWITCH_TIMES] = "keep|relative|drop",
};

const struct levels presets[] = {
	[PRESET_NONE] = { { 0 } },
	[PRESET_SHARE] = { { [SWITCH_NAMES] = NAMES_HASH,
			     [SWITCH_EVENTS] = EVENTS_NO_ARGUMENTS,
			     [SWITCH_ADDRESSES] = ADDRESSES_REGIONS,
			     [SWITCH_EXTRAS] = EXTRAS_KEEP,
			     [SWITCH_ORDER] = ORDER_KEEP,
			     [SWITCH_CODE] = CODE_NO_CONSTANTS,
			     [SWITCH_SAMPLES] = SAMPLES_DROP,
			     [SWITCH_TIMES] = TIMES_RELATIVE } },
	[PRESET_PUBLIC] = { { [SWITCH_NAMES] = NAMES_DROP,
			      [SWITCH_EVENTS] = EVENTS_KINDS,
			      [SWITCH_ADDRESSES] = ADDRESSES_PAGES,
			      [SWITCH_EXTRAS] = EXTRAS_KEEP,
			      [SWITCH_ORDER] = ORDER_SHUFFLE,
			      [SWITCH_CODE] = CODE_REGDEPS,
			      [SWITCH_SAMPLES] = SAMPLES_DROP,
			      [SWITCH_TIMES] = TIMES_DROP } },
};

const char *level_word(enum switch_id id, unsigned level, char word[LEVEL_WORD])
{
	const char *words = switch_words[id];

	while (level--)
		words = strchr(words, '|') + 1;
	snprintf(word, LEVEL_WORD, "%.*s", (int)strcspn(words, "|"), words);
	return word;
}

struct levels levels_after(struct tf_reader *reader, const struct levels *levels)
{
	struct levels after = *levels;

	for (unsigned i = 0; i < N_SWITCHES; i++) {
		const char *text;
		char key[40];
		unsigned level;

		snprintf(key, sizeof(key), "anonymised.%s", switch_names[i]);
		text = tf_meta(reader, key);
		if (text && parse_choice(text, switch_words[i], &level) && level > after.at[i])
			after.at[i] = level;
	}
	return after;
}
