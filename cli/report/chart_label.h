/* SPDX-License-Identifier: MIT */
/* Texts in pictures. */
#ifndef REPORT_CHART_LABEL_H
#define REPORT_CHART_LABEL_H

#include <stddef.h>

/*
 * Returns an untrusted text on one line, of valid UTF-8 with only characters that XML may have, and
 * of at most `most` characters, of which the last is an ellipsis if the text is longer. Free it.
 */
char *chart_label(const char *text, size_t most);

#endif
