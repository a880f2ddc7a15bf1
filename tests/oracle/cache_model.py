# SPDX-License-Identifier: MIT
"""A hierarchy of caches, slowly, as trace-cache(1) defines it: lists and dictionaries, no tricks.

Level(name, sets, ways, line, ...) makes a level; Hierarchy(levels) puts them in a row, the first
one nearest to the core. Hierarchies may share their last levels: pass the same Level objects.
"""
import cache_policies


KINDS = ('fetch', 'load', 'store')
COUNTS = [kind + what for kind in KINDS for what in ('_lookups', '_misses')] + [
    'writes', 'write_misses', 'evictions', 'write_backs', 'invalidations', 'victims', 'prefetches',
    'useful_prefetches', 'useless_prefetches', 'prefetch_reads', 'from_below', 'to_below',
    'crossings', 'crossing_misses']
PAGE = 4096


class Way:
    """A line in a way."""

    def __init__(self, line, dirty):
        self.line, self.dirty = line, dirty
        self.prefetched = False


class Level:
    def __init__(self, name, sets, ways, line, policy='lru', inclusion='nine', write_back=True,
                 allocate=True, seed=0, prefetch=None, distance=1, pages=False):
        self.name, self.sets, self.ways, self.line = name, sets, ways, line
        self.policy, self.inclusion, self.seed = policy, inclusion, seed
        self.write_back, self.allocate, self.pages = write_back, allocate, pages
        self.prefetch, self.distance, self.is_first = prefetch, distance, False
        self.above = []  # the levels whose misses come here
        self.forget()

    def forget(self):
        make = cache_policies.POLICIES[self.policy]
        for name in ('distant_fills', 'psel'):
            if hasattr(self, name):
                delattr(self, name)
        self.lines = [[None] * self.ways for _ in range(self.sets)]
        self.states = [make(self, i) for i in range(self.sets)]
        self.now = -1  # number of the present request
        self.sequence = []  # lines of all requests
        self.counts = dict.fromkeys(COUNTS, 0)
        self.strides = {}  # by number: [key, position, difference, how often it was the same]

    def find(self, line):
        """Returns the number of the line's set, and of its way or None."""
        number = line % self.sets
        for way, held in enumerate(self.lines[number]):
            if held and held.line == line:
                return number, way
        return number, None

    def request(self, line):
        """Notes a request of the levels above. Returns what find does."""
        self.now += 1
        self.sequence.append(line)
        return self.find(line)

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


    def stride(self, key, position, unit):
        """Returns where a stride leads to, or None."""
        entry = self.strides.setdefault(key % 64, [key, position, 0, 0])
        if entry[0] != key:
            entry[:] = [key, position, 0, 0]
            return None
        difference = position - entry[1]
        entry[3] = entry[3] + 1 if difference == entry[2] else 1
        entry[1:3] = position, difference
        if not difference or entry[3] < 3:
            return None
        step = difference if abs(difference) >= unit else unit if difference > 0 else -unit
        return position + self.distance * step


class Hierarchy:
    def __init__(self, levels, memory=None):
        self.levels, self.seen, self.pc = levels, None, 0
        self.memory = memory if memory is not None else {'reads': 0, 'writes': 0, 'written': 0}
        for i, level in enumerate(levels):
            level.is_first = not i
            if i and levels[i - 1] not in level.above:
                level.above.append(levels[i - 1])

    def access(self, address, size, kind, pc=0, seen=None):
        """Touches each line of level 1 from the lowest on. seen(level, line, hit) is told of all lookups."""
        self.seen = seen
        size = max(size, 1)
        level, line = self.levels[0], self.levels[0].line
        first, last = address // line, (address + size - 1) // line
        misses = 0
        for number in range(first, last + 1):
            start, end = max(address, number * line), min(address + size, (number + 1) * line)
            misses += self.access_line(start, kind, end - start)
        level.counts['crossings'] += first < last
        level.counts['crossing_misses'] += max(misses - 1, 0)
        if level.prefetch == 'stride' and kind != 'fetch':
            self.prefetch(0, address, level.stride(pc, address, line))

    def look_up(self, i, address, kind):
        """Looks a line up on demand. Returns its Way, or None, and whether it was prefetched."""
        level = self.levels[i]
        line = address // level.line
        number, way = level.request(line)
        level.counts[kind + '_lookups'] += 1
        if self.seen:
            self.seen(level, line, way is not None)
        if way is None:
            level.counts[kind + '_misses'] += 1
            level.states[number].missed()
            return None, False
        held = level.lines[number][way]
        is_first_use, held.prefetched = held.prefetched, False
        level.counts['useful_prefetches'] += is_first_use
        level.states[number].touched(way)
        return held, is_first_use

    def access_line(self, address, kind, size):
        """An access at level 1. Returns whether it misses."""
        level = self.levels[0]
        writes = kind == 'store' and not level.pages
        found, is_first_use = self.look_up(0, address, kind)
        held = found
        if not held and writes and not level.allocate:
            level.counts['to_below'] += size
            self.write(1, address, kind, size)
            return True
        if not held:
            level.counts['from_below'] += level.line
            self.fill(0, address // level.line, self.read(1, address, kind, level.line))
            held = level.held(address // level.line)
        if writes and level.write_back:
            held.dirty = True
        elif writes:
            level.counts['to_below'] += size
            self.write(1, address, kind, size)
        self.predict(0, address, found, is_first_use)
        return not found

    def read(self, i, address, kind, size, is_demand=True):
        """A level above reads a line. Returns whether what moves there is dirty."""
        if i == len(self.levels):
            self.memory['reads'] += size
            return False
        level = self.levels[i]
        is_exclusive = level.inclusion == 'exclusive'
        held, is_first_use = None, False
        if is_demand:
            held, is_first_use = self.look_up(i, address, kind)
        else:
            level.counts['prefetch_reads'] += 1
            number, way = level.request(address // level.line)
            if way is not None:
                held = level.lines[number][way]
                level.states[number].touched(way)
        found = held
        if is_exclusive and held:
            return level.remove(held.line).dirty
        if not held:
            level.counts['from_below'] += level.line
            dirty = self.read(i + 1, address // level.line * level.line, kind, level.line, is_demand)
            if is_exclusive:
                return dirty
            self.fill(i, address // level.line, dirty)
        if is_demand:
            self.predict(i, address, found, is_first_use)
        return False

    def write(self, i, address, kind, size):
        """A level above passes a write on."""
        if i == len(self.levels):
            self.memory['writes'] += size
            return
        level = self.levels[i]
        line = address // level.line
        number, way = level.request(line)
        level.counts['writes'] += 1
        if way is not None:
            level.states[number].touched(way)
        else:
            level.counts['write_misses'] += 1
            level.states[number].missed()
            if level.allocate and level.inclusion != 'exclusive':
                level.counts['from_below'] += level.line
                self.fill(i, line, self.read(i + 1, address, kind, level.line))
        held = level.held(line)
        if held and level.write_back:
            held.dirty = True
        else:
            level.counts['to_below'] += size
            self.write(i + 1, address, kind, size)

    def predict(self, i, address, hit, is_first_use):
        """Prefetches what follows a demand lookup of a level."""
        level = self.levels[i]
        start = address // level.line * level.line
        if level.prefetch in ('next-line', 'tagged'):
            if not hit or is_first_use and level.prefetch == 'tagged':
                for ahead in range(1, level.distance + 1):
                    self.prefetch(i, start, start + ahead * level.line)
        elif level.prefetch == 'stride' and i:
            self.prefetch(i, start, level.stride(start // PAGE, start, level.line))

    def prefetch(self, i, origin, address):
        level = self.levels[i]
        if address is None or address // PAGE != origin // PAGE:
            return
        line = address // level.line
        if level.held(line):
            return
        level.counts['prefetches'] += 1
        level.counts['from_below'] += level.line
        self.fill(i, line, self.read(i + 1, line * level.line, 'load', level.line, False))
        level.held(line).prefetched = True

    def fill(self, i, line, dirty):
        level = self.levels[i]
        replaced = level.place(line, dirty)
        if replaced:
            level.counts['evictions'] += 1
            level.counts['useless_prefetches'] += replaced.prefetched
            self.evict(i, replaced)

    def evict(self, i, way):
        """Does what follows from the replacement of a line of level i."""
        level = self.levels[i]
        if level.inclusion == 'inclusive':
            way.dirty |= self.invalidate_above(level, way.line * level.line, level.line)
        level.counts['write_backs'] += way.dirty
        below = self.levels[i + 1] if i + 1 < len(self.levels) else None
        if below and below.inclusion == 'exclusive':
            level.counts['to_below'] += level.line
            self.receive(i + 1, way.line * level.line, way.dirty)
        elif way.dirty:
            level.counts['to_below'] += level.line
            self.write_back(i + 1, way.line * level.line, level.line)

    def invalidate_above(self, level, address, size):
        """Removes lines from all levels above. Returns whether any was dirty."""
        dirty = False
        for upper in level.above:
            for part in range(address, address + size, upper.line):
                held = upper.remove(part // upper.line)
                if held:
                    upper.counts['invalidations'] += 1
                    upper.counts['useless_prefetches'] += held.prefetched
                    dirty |= held.dirty
                dirty |= self.invalidate_above(upper, part, upper.line)
        return dirty

    def receive(self, i, address, dirty):
        """An exclusive level receives a victim of the level above."""
        level = self.levels[i]
        line = address // level.line
        number, way = level.find(line)
        level.counts['victims'] += 1
        if way is None:
            self.fill(i, line, dirty)
        else:
            level.lines[number][way].dirty |= dirty
            level.states[number].touched(way)

    def write_back(self, i, address, size):
        """A dirty victim makes the first copy below dirty, else goes to memory."""
        for level in self.levels[i:]:
            held = level.held(address // level.line)
            if held and level.write_back:
                held.dirty = True
                return
            level.counts['to_below'] += size
        self.memory['written'] += size


def next_touches(sequence):
    """Returns for each lookup the number of the next one of the same line, or infinity."""
    latest, future = {}, [0] * len(sequence)
    for i in range(len(sequence) - 1, -1, -1):
        future[i] = latest.get(sequence[i], float('inf'))
        latest[sequence[i]] = i
    return future


def run(make_levels, accesses, seen=None):
    """Runs (hierarchy number, address, size, kind, pc) through hierarchies: make_levels() returns lists of Levels.

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
        for number, address, size, kind, pc in accesses:
            hierarchies[number].access(address, size, kind, pc, None if unknown else seen)
        if not unknown:
            return levels, memory
        futures[unknown.name] = next_touches(unknown.sequence)
