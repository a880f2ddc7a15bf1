# SPDX-License-Identifier: MIT
"""Kinds of misses and MESI, slowly, as trace-cache(1) defines them.

Cores(make_levels, n_cores, n_shared) has the levels of cache_model for each core, of which the last
n_shared are common. access() returns the misses of the access, with their kinds.
"""
import collections

import cache_model

KINDS = ('cold', 'capacity', 'conflict', 'true_sharing', 'false_sharing')


class History:
    """What a cache was asked for: the lines ever, and a fully associative LRU cache of its size."""

    def __init__(self, lines):
        self.lines, self.seen, self.recent = lines, set(), collections.OrderedDict()

    def ask(self, line):
        """Returns the kind of a miss, if it is one."""
        kind = 'conflict' if line in self.recent else 'capacity' if line in self.seen else 'cold'
        self.seen.add(line)
        self.recent[line] = True
        self.recent.move_to_end(line)
        if len(self.recent) > self.lines:
            self.recent.popitem(last=False)
        return kind


class Cores:
    """make_levels() returns a row of levels for data, and one for code."""

    def __init__(self, make_levels, n_cores, n_shared):
        self.rows = [make_levels() for _ in range(n_cores)]
        own = len(self.rows[0][0]) - n_shared
        self.own = own
        for row in self.rows[1:]:
            for side in range(2):
                row[side][own:] = self.rows[0][side][own:]
        memory = {'reads': 0, 'writes': 0, 'written': 0}
        self.sides = [[cache_model.Hierarchy(levels, memory) for levels in row]
                      for row in self.rows]
        self.states = [{} for _ in range(n_cores)]  # by core: of lines that it has
        self.lost = {}  # (level, line): what other cores have written since
        self.histories = {}
        self.kinds = collections.defaultdict(collections.Counter)  # by level's name
        self.counts = collections.Counter()

    def own_levels(self, core):
        """Returns the levels that only this core has."""
        data, code = (row[:self.own] for row in self.rows[core])
        return data + [level for level in code if level not in data]

    def has(self, core, line):
        return any(level.held(line) for level in self.own_levels(core))

    def is_modified(self, core, line):
        return any(level.held(line) and level.held(line).dirty for level in self.own_levels(core))

    def write_back(self, core, line, size):
        self.sides[core][0].write_back(self.own, line * size, size)

    def cores_with(self, line, but):
        return [core for core in range(len(self.rows)) if core != but and self.has(core, line)]

    def read(self, core, line, size, effect):
        if self.has(core, line):
            return
        others = self.cores_with(line, core)
        for other in others:
            self.states[other][line] = 'S'
            if self.is_modified(other, line):
                effect['transfers'] += 1
                self.write_back(other, line, size)
                for level in self.own_levels(other):
                    if level.held(line):
                        level.held(line).dirty = False
        self.states[core][line] = 'S' if others else 'E'

    def write(self, core, line, size, written, effect):
        if self.has(core, line) and self.states[core][line] == 'S':
            effect['upgrades'] += 1
        for other in self.cores_with(line, core):
            effect['invalidations'] += 1
            modified = self.is_modified(other, line)
            for level in self.own_levels(other):
                if level.held(line):
                    level.remove(line)
                    self.lost[level, line] = set()
            if modified:
                effect['transfers'] += 1
                self.write_back(other, line, size)
        mine = self.own_levels(core)
        for core_levels in map(self.own_levels, range(len(self.rows))):
            for level in core_levels:
                if level not in mine and (level, line) in self.lost:
                    self.lost[level, line] |= written
        self.states[core][line] = 'M'

    def access(self, core, address, size, kind):
        """Yields (line's address, effect on coherence, [(level, kind of miss), ...]) of each line."""
        size = max(size, 1)
        hierarchy = self.sides[core][kind == 'fetch']
        length = hierarchy.levels[0].line
        for line in range(address // length, (address + size - 1) // length + 1):
            touched = set(range(max(address, line * length), min(address + size, (line + 1) * length)))
            effect, misses = collections.Counter(), []
            if len(self.rows) > 1:
                if kind == 'store':
                    self.write(core, line, length, touched, effect)
                else:
                    self.read(core, line, length, effect)
            hierarchy.seen = lambda level, found, hit: self.see(level, found, hit, touched, misses)
            hierarchy.access_line(min(touched), kind, len(touched))
            self.counts += effect
            yield line * length, effect, misses

    def see(self, level, line, hit, touched, misses):
        """Sees a lookup."""
        if level not in self.histories:
            self.histories[level] = History(level.sets * level.ways)
        kind = self.histories[level].ask(line)
        since = self.lost.pop((level, line), None)
        if hit:
            return
        if since is not None:
            kind = 'true_sharing' if since & touched else 'false_sharing'
        self.kinds[level.name][kind] += 1
        misses.append((level.name, kind))
