# SPDX-License-Identifier: MIT
"""A hierarchy of caches, slowly, as trace-cache(1) defines it: lists and dictionaries, no tricks.

Level(name, sets, ways, line, ...) makes a level; Hierarchy(levels) puts them in a row, the first
one nearest to the core. Hierarchies may share their last levels: pass the same Level objects.
"""
import cache_policies


KINDS = ('fetch', 'load', 'store')
COUNTS = [kind + what for kind in KINDS for what in ('_lookups', '_misses')] + [
    'writes', 'write_misses', 'evictions', 'write_backs', 'invalidations', 'prefetches', 'useful']


class Way:
    """A line in a way."""

    def __init__(self, line, dirty):
        self.line, self.dirty = line, dirty
        self.prefetched = False


class Level:
    def __init__(self, name, sets, ways, line, policy='lru', inclusion='nine', write_back=True,
                 allocate=True, seed=0):
        self.name, self.sets, self.ways, self.line = name, sets, ways, line
        self.policy, self.inclusion, self.seed = policy, inclusion, seed
        self.write_back, self.allocate = write_back, allocate
        self.above = []  # the levels whose misses come here
        self.forget()

    def forget(self):
        make = cache_policies.POLICIES[self.policy]
        for name in ('distant_fills', 'psel'):
            if hasattr(self, name):
                delattr(self, name)
        self.lines = [[None] * self.ways for _ in range(self.sets)]
        self.states = [make(self, i) for i in range(self.sets)]
        self.now = -1  # number of the present lookup
        self.sequence = []  # lines of all lookups
        self.counts = dict.fromkeys(COUNTS, 0)

    def find(self, line):
        """Returns the number of the line's set, and of its way or None."""
        number = line % self.sets
        for way, held in enumerate(self.lines[number]):
            if held and held.line == line:
                return number, way
        return number, None

    def held(self, line):
        """Returns the Way of a line, or None."""
        number, way = self.find(line)
        return None if way is None else self.lines[number][way]

    def remove(self, line):
        """Returns the removed Way, or None."""
        number, way = self.find(line)
        if way is None:
            return None
        held, self.lines[number][way] = self.lines[number][way], None
        return held

    def place(self, line, dirty):
        """Fills a line that is absent. Returns the replaced Way, or None."""
        number = line % self.sets
        ways, state = self.lines[number], self.states[number]
        way = ways.index(None) if None in ways else state.victim()
        replaced, ways[way] = ways[way], Way(line, dirty)
        state.filled(way)
        return replaced


class Hierarchy:
    def __init__(self, levels, memory=None):
        self.levels = levels
        self.memory = memory if memory is not None else {'reads': 0, 'writes': 0, 'written': 0}
        for upper, level in zip(levels, levels[1:]):
            if upper not in level.above:
                level.above.append(upper)

    def access(self, address, size, kind, seen=None):
        """Touches each line of level 1 from the lowest on. seen(level, line, hit) is told of all lookups."""
        self.seen = seen
        line = self.levels[0].line
        for number in range(address // line, (address + max(size, 1) - 1) // line + 1):
            self.access_line(number * line, kind)

    def look_up(self, i, address, kind):
        """Looks a line up on demand. Returns its Way, or None."""
        level = self.levels[i]
        line = address // level.line
        number, way = level.find(line)
        level.now += 1
        level.sequence.append(line)
        level.counts[kind + '_lookups'] += 1
        if self.seen:
            self.seen(level, line, way is not None)
        if way is None:
            level.counts[kind + '_misses'] += 1
            level.states[number].missed()
            return None
        held = level.lines[number][way]
        if held.prefetched:
            level.counts['useful'] += 1
            held.prefetched = False
        level.states[number].touched(way)
        return held

    def access_line(self, address, kind):
        """An access at level 1."""
        level = self.levels[0]
        writes = kind == 'store'
        held = self.look_up(0, address, kind)
        if not held and writes and not level.allocate:
            self.write(1, address, kind)
            return
        if not held:
            dirty = self.read(1, address, kind)
            self.fill(0, address // level.line, dirty)
            held = level.held(address // level.line)
        if writes and level.write_back:
            held.dirty = True
        elif writes:
            self.write(1, address, kind)

    def read(self, i, address, kind):
        """A level above reads a line. Returns whether what moves there is dirty."""
        if i == len(self.levels):
            self.memory['reads'] += 1
            return False
        level = self.levels[i]
        held = self.look_up(i, address, kind)
        if held:
            return level.remove(held.line).dirty if level.inclusion == 'exclusive' else False
        dirty = self.read(i + 1, address, kind)
        if level.inclusion == 'exclusive':
            return dirty
        self.fill(i, address // level.line, dirty)
        return False

    def write(self, i, address, kind):
        """A level above passes a write on."""
        if i == len(self.levels):
            self.memory['writes'] += 1
            return
        level = self.levels[i]
        line = address // level.line
        number, way = level.find(line)
        level.counts['writes'] += 1
        if way is not None:
            level.states[number].touched(way)
        else:
            level.counts['write_misses'] += 1
            level.states[number].missed()
            if level.allocate and level.inclusion != 'exclusive':
                self.fill(i, line, self.read(i + 1, address, kind))
        held = level.held(line)
        if held and level.write_back:
            held.dirty = True
        else:
            self.write(i + 1, address, kind)

    def fill(self, i, line, dirty):
        level = self.levels[i]
        replaced = level.place(line, dirty)
        if replaced:
            level.counts['evictions'] += 1
            self.evict(i, replaced)

    def evict(self, i, way):
        """Does what follows from the replacement of a line of level i."""
        level = self.levels[i]
        if level.inclusion == 'inclusive':
            way.dirty |= self.invalidate_above(level, way.line * level.line, level.line)
        below = self.levels[i + 1] if i + 1 < len(self.levels) else None
        if below and below.inclusion == 'exclusive':
            if way.dirty:
                level.counts['write_backs'] += 1
            self.receive(i + 1, way.line * level.line, way.dirty)
        elif way.dirty:
            level.counts['write_backs'] += 1
            self.write_back(i + 1, way.line * level.line)

    def invalidate_above(self, level, address, size):
        """Removes lines from all levels above. Returns whether any was dirty."""
        dirty = False
        for upper in level.above:
            for part in range(address, address + size, upper.line):
                held = upper.remove(part // upper.line)
                if held:
                    upper.counts['invalidations'] += 1
                    dirty |= held.dirty
                dirty |= self.invalidate_above(upper, part, upper.line)
        return dirty

    def receive(self, i, address, dirty):
        """An exclusive level receives a victim of the level above."""
        level = self.levels[i]
        line = address // level.line
        number, way = level.find(line)
        if way is None:
            self.fill(i, line, dirty)
        else:
            level.lines[number][way].dirty |= dirty
            level.states[number].touched(way)

    def write_back(self, i, address):
        """A dirty victim makes the first copy below dirty, else goes to memory."""
        for level in self.levels[i:]:
            number, way = level.find(address // level.line)
            if way is not None and level.write_back:
                level.lines[number][way].dirty = True
                return
        self.memory['written'] += 1


def next_touches(sequence):
    """Returns for each lookup the number of the next one of the same line, or infinity."""
    latest, future = {}, [0] * len(sequence)
    for i in range(len(sequence) - 1, -1, -1):
        future[i] = latest.get(sequence[i], float('inf'))
        latest[sequence[i]] = i
    return future


def run(make_levels, accesses, seen=None):
    """Runs (hierarchy number, address, size, kind) through hierarchies: make_levels() returns lists of Levels.

    Levels with policy opt get their future by runs before: the sequence that reaches a level
    depends on the levels above only.
    """
    accesses = list(accesses)
    futures = {}
    while True:
        rows = make_levels()
        levels = list({id(level): level for row in rows for level in row}.values())
        unknown = None
        for level in levels:
            level.forget()
            if level.policy == 'opt':
                level.future = futures.get(level.name)
                if level.future is None:
                    unknown = unknown or level
        cut = [row[:row.index(unknown) + 1] if unknown in row else row for row in rows]
        if unknown:  # any policy gives the sequence of the unknown level
            unknown.policy = 'lru'
            unknown.forget()
        memory = {'reads': 0, 'writes': 0, 'written': 0}
        hierarchies = [Hierarchy(row, memory) for row in cut]
        for number, address, size, kind in accesses:
            hierarchies[number].access(address, size, kind, None if unknown else seen)
        if not unknown:
            return levels, memory
        futures[unknown.name] = next_touches(unknown.sequence)
