/* SPDX-License-Identifier: MIT */
/* Texts in pictures. */
#ifndef REPORT_CHART_LABEL_H
#define REPORT_CHART_LABEL_H

#include <stddef.h>

/*
 * Returns an untrusted text on one line, of valid UTF-8 with only characters that XML may have, and
 * of at most `most` characters. A longer text is one without the arguments of C++ names, and ends
 * with an ellipsis if it is still longer. Free it.
 */
char *chart_label(const char *text, size_t most);

#endif
