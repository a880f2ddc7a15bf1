# SPDX-License-Identifier: MIT
"""Levels of the slow model of caches from texts as trace-cache --levels has them."""
import cache_model


def size_of(text):
    units = {'K': 10, 'M': 20, 'G': 30}
    text = text.removesuffix('i')
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def level(name, text):
    """Returns a level of SIZE/WAYS/LINE:WORD:WORD."""
    numbers, *words = text.split(':')
    size, ways, line = (numbers.split('/') + ['64'])[:3]
    size, line = size_of(size), size_of(line)
    ways = size // line if ways == 'full' else int(ways)
    made = cache_model.Level(name, size // line // ways, ways, line)
    for word in words:
        if word in ('nine', 'inclusive', 'exclusive'):
            made.inclusion = word
        elif word == 'write-through':
            made.write_back = False
        elif word == 'no-allocate':
            made.allocate = False
        elif word != 'unified':
            made.policy = word
    made.forget()
    return made


def levels(text):
    """Returns the levels for instructions and those for data; unified ones are in both."""
    code, data = [], []
    for depth, one in enumerate(text.split(','), 1):
        parts = one.split('+')
        if len(parts) == 2 or depth == 1 and ':unified' not in one:
            code.append(level('L%dI' % depth, parts[0]))
            data.append(level('L%dD' % depth, parts[-1]))
        else:
            data.append(level('L%d' % depth, one))
            code.append(data[-1])
    return [data, code]
