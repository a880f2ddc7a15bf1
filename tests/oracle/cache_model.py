# SPDX-License-Identifier: MIT
"""A hierarchy of caches, slowly, as trace-cache(1) defines it: lists and dictionaries, no tricks.

Level(name, sets, ways, line, ...) makes a level; Hierarchy(levels) puts them in a row, the first
one nearest to the core. Hierarchies may share their last levels: pass the same Level objects.
"""
import cache_policies


class Way:
    """A line in a way."""

    def __init__(self, line, dirty):
        self.line, self.dirty = line, dirty
        self.prefetched = False


class Level:
    def __init__(self, name, sets, ways, line, policy='lru', inclusion='nine', write_back=True,
                 allocate=True, seed=0, next_line=0):
        self.name, self.sets, self.ways, self.line = name, sets, ways, line
        self.policy, self.inclusion, self.seed = policy, inclusion, seed
        self.write_back, self.allocate, self.next_line = write_back, allocate, next_line
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
        self.counts = dict.fromkeys(
            ('read_hits', 'read_misses', 'write_hits', 'write_misses', 'evictions', 'write_backs',
             'write_throughs', 'invalidations', 'prefetches', 'prefetch_misses',
             'useful_prefetches'), 0)

    def find(self, line):
        """Returns the number of the line's set, and of its way or None."""
        number = line % self.sets
        for way, held in enumerate(self.lines[number]):
            if held and held.line == line:
                return number, way
        return number, None

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

    def access(self, address, size, write, seen=None):
        """Touches each line of level 1 from the lowest on. seen(level, line, hit) is told of all lookups."""
        self.seen = seen
        line = self.levels[0].line
        for number in range(address // line, (address + max(size, 1) - 1) // line + 1):
            self.demand(0, number * line, write)

    def demand(self, i, address, write, kind=None):
        """Looks an address up in level i and, on a miss, below. Returns whether what comes is dirty."""
        if i == len(self.levels):
            self.memory['writes' if write else 'reads'] += 1
            return False
        level = self.levels[i]
        line = address // level.line
        number, way = level.find(line)
        level.now += 1
        level.sequence.append(line)
        if self.seen:
            self.seen(level, line, way is not None)
        level.counts[('write' if write else 'read') + ('_misses' if way is None else '_hits')] += 1
        dirty = False
        if way is not None:
            held = level.lines[number][way]
            if held.prefetched:
                level.counts['useful_prefetches'] += 1
                held.prefetched = False
            level.states[number].touched(way)
            if i and level.inclusion == 'exclusive':
                dirty = level.remove(line).dirty
            elif write and level.write_back:
                held.dirty = True
        else:
            level.states[number].missed()
            if write and not level.allocate:
                self.demand(i + 1, address, True)
                return False
            dirty = self.demand(i + 1, address, False)
            if not (i and level.inclusion == 'exclusive'):
                self.fill(i, line, dirty or write and level.write_back)
                dirty = False
        if write and not level.write_back:
            level.counts['write_throughs'] += 1
            self.demand(i + 1, address, True)
        if way is None and level.next_line:
            self.prefetch(i, address)
        return dirty

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

    def prefetch(self, i, address):
        level = self.levels[i]
        for ahead in range(1, level.next_line + 1):
            line = address // level.line + ahead
            if line * level.line // 4096 != address // 4096:
                break
            level.counts['prefetches'] += 1
            if level.find(line)[1] is None:
                level.counts['prefetch_misses'] += 1
                self.fetch(i, line * level.line)
                number, way = level.find(line)
                level.lines[number][way].prefetched = True

    def fetch(self, i, address):
        """Fills level i and those below it for a prefetch, without demand lookups."""
        if i == len(self.levels):
            self.memory['reads'] += 1
            return False
        level = self.levels[i]
        number, way = level.find(address // level.line)
        if way is not None:
            level.states[number].touched(way)
            return level.remove(address // level.line).dirty if level.inclusion == 'exclusive' else False
        dirty = self.fetch(i + 1, address)
        self.fill(i, address // level.line, dirty)
        return False


def next_touches(sequence):
    """Returns for each lookup the number of the next one of the same line, or infinity."""
    latest, future = {}, [0] * len(sequence)
    for i in range(len(sequence) - 1, -1, -1):
        future[i] = latest.get(sequence[i], float('inf'))
        latest[sequence[i]] = i
    return future


def run(make_levels, accesses, seen=None):
    """Runs (hierarchy number, address, size, write) through hierarchies: make_levels() returns lists of Levels.

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
        for number, address, size, write in accesses:
            hierarchies[number].access(address, size, write, None if unknown else seen)
        if not unknown:
            return levels, memory
        futures[unknown.name] = next_touches(unknown.sequence)
