# SPDX-License-Identifier: MIT
"""Levels of the slow model of caches from texts as trace-cache --levels has them."""
import cache_model


def size_of(text):
    units = {'K': 10, 'M': 20, 'G': 30}
    text = text.removesuffix('i')
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def level(name, text, pages):
    """Returns a level of SIZE/WAYS/LINE:WORD:WORD, or of ENTRIES/WAYS/PAGE:..."""
    numbers, *words = text.split(':')
    size, ways, line = (numbers.split('/') + ['4Ki' if pages else '64'])[:3]
    line = size_of(line)
    size = size_of(size) * (line if pages else 1)
    ways = size // line if ways == 'full' else int(ways)
    made = cache_model.Level(name, size // line // ways, ways, line, pages=pages)
    for word in words:
        if word in ('nine', 'inclusive', 'exclusive'):
            made.inclusion = word
        elif word == 'write-through':
            made.write_back = False
        elif word == 'no-allocate':
            made.allocate = False
        elif word in ('next-line', 'tagged', 'stride'):
            made.prefetch = word
        elif word.startswith('distance='):
            made.distance = int(word.partition('=')[2])
        elif word.startswith('seed='):
            made.seed = int(word.partition('=')[2])
        elif word != 'unified':
            made.policy = word
    made.forget()
    return made


def levels(text, pages=False):
    """Returns the levels for instructions and those for data; unified ones are in both."""
    code, data = [], []
    for depth, one in enumerate(text.split(','), 1):
        parts = one.split('+')
        before = '' if pages and depth == 1 else 'L%d ' % depth if pages else 'L%d' % depth
        names = [before + ('%sTLB' % side if pages else side) for side in ('I', 'D', '')]
        if len(parts) == 2 or depth == 1 and ':unified' not in one:
            code.append(level(names[0], parts[0], pages))
            data.append(level(names[1], parts[-1], pages))
        else:
            data.append(level(names[2], one, pages))
            code.append(data[-1])
    return [data, code]
