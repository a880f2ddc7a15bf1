# SPDX-License-Identifier: MIT
"""labels.py TRACE COMMAND...: every label that two of the commands print of a trace, as JSON, has one value. A label is a
fact's name; a name in the legend has one meaning. Prints the labels that have two, and fails."""
import json
import subprocess
import sys

# Facts about the run of the command, not about the trace.
OF_THE_RUN = {"trace", "complete"}


def labels(result):
    """Yields (name, value) of the facts, of stackdist's one stream, and of the legend."""
    for name, value in result.items():
        if name == "streams" and len(value) == 1:
            yield from labels(value[0])
        elif name == "legend":
            yield from (("meaning of " + word, meaning) for word, meaning in value.items())
        elif name not in OF_THE_RUN and not isinstance(value, (dict, list)):
            yield name, value


trace, commands = sys.argv[1], sys.argv[2:]
values = {}
for command in commands:
    done = subprocess.run([command, "--format=json", trace], capture_output=True, text=True)
    if not done.stdout.strip():
        continue
    for name, value in labels(json.loads(done.stdout)):
        values.setdefault(name, {}).setdefault(json.dumps(value), []).append(command.rpartition("/")[2])
differing = {name: found for name, found in values.items() if len(found) > 1}
for name, found in sorted(differing.items()):
    print(name, found)
shared = sum(len(next(iter(found.values()))) > 1 for found in values.values())
print(len(values), "labels,", shared, "of several commands", file=sys.stderr)
sys.exit(bool(differing) or not shared)
