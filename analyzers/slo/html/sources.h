/* SPDX-License-Identifier: MIT */
/* The source files of locality advice, and the marks at their lines. */
#ifndef SLO_HTML_SOURCES_H
#define SLO_HTML_SOURCES_H

#include "analyzers/slo/advice.h"
#include "analyzers/slo/html/roots.h"

/* The number of pairs of places of a refactoring that are listed, and marked in the source. */
enum { HTML_PAIRS = 12 };

/* A line; file is the number of a source. */
struct html_site {
	bool known;
	uint32_t file, line;
};

/* Reuses whose data a line uses, or reuses. */
struct html_touch {
	uint32_t file, line;
	uint32_t rank; /* rank of the refactoring that the line is marked for; 0: none */
	bool is_reuse;
	uint64_t reuses;
};

/* The lines of a loop or call that a refactoring is about. */
struct html_bar {
	uint32_t file, first, last;
	uint32_t line; /* the line in its name */
	uint32_t rank;
	uint32_t lane; /* column of the bar; HTML_LANES: no column was free */
};
enum { HTML_LANES = 24 };

struct html_source {
	bool wanted;     /* marks or bars stand at its lines */
	char *text;      /* size bytes; NULL: not available */
	const char *why; /* the reason, such as "is not a regular file" */
	size_t size;
	uint32_t n_lines, n_lanes;
};

struct html_sources {
	struct html_roots *roots;
	struct numbering paths;           /* paths of the sources */
	struct html_source *sources;      /* by number of the path */
	uint32_t n_sources;               /* 0 until all paths are known */
	ARRAY(struct html_touch) touches; /* sorted by file, line and rank */
	ARRAY(struct html_bar) bars;      /* sorted by file; an outer bar before inner ones */
};

/*
 * Reads the files of the first `top` refactorings that the roots allow, and adds to the roots the
 * folders that the debug information gives. Ends the process if memory is out.
 */
void html_sources_init(struct html_sources *sources, struct html_roots *roots,
		       const struct slo_advice *advice, const struct slo_places *places,
		       size_t top);
void html_sources_free(struct html_sources *sources);

/* Returns the line of an instruction of a listed refactoring. */
struct html_site html_insn_site(struct html_sources *sources, const struct slo_places *places,
				uint32_t insn);

/* Returns true if the page can show a line. */
static inline bool html_has_line(const struct html_sources *sources, const struct html_site *site)
{
	return site->known && sources->sources[site->file].text && site->line &&
	       site->line <= sources->sources[site->file].n_lines;
}

static inline const char *html_path(const struct html_sources *sources, uint32_t file)
{
	return numbering_key(&sources->paths, file);
}

#endif
