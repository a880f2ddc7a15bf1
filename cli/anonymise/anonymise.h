/* SPDX-License-Identifier: MIT */
/* Makes an anonymized trace. */
#ifndef ANONYMISE_H
#define ANONYMISE_H

#include "cli/anonymise/request.h"

/* Does what the request asks for. Returns an exit code, after a message. */
int anonymise(const struct request *request);

#endif
