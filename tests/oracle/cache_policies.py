# SPDX-License-Identifier: MIT
"""Replacement policies of a cache, slowly, as trace-cache(1) defines them.

A policy has the state of one set, of `ways` ways. touched(way) is called for each hit,
filled(way) for each fill, missed() for each miss before its fill, and victim() must return the way
to replace. The cache fills free ways first, and replaces only in full sets.
"""
MASK = (1 << 64) - 1


def splitmix64(z):
    """The output function of splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014)."""
    z &= MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Policy:
    def __init__(self, level, number):
        self.level, self.number, self.ways = level, number, level.ways

    def touched(self, way):
        pass

    def filled(self, way):
        pass

    def missed(self):
        pass


class Lru(Policy):
    """The line that was touched longest ago."""

    def __init__(self, level, number):
        super().__init__(level, number)
        self.order = []

    def touched(self, way):
        self.order.remove(way)
        self.order.append(way)

    def filled(self, way):
        if way in self.order:
            self.order.remove(way)
        self.order.append(way)

    def victim(self):
        return self.order[0]


class Fifo(Lru):
    """The line that was filled longest ago."""

    def touched(self, way):
        pass


class TreePlru(Policy):
    """A binary tree over the ways; each node points to the half that was touched less recently."""

    def __init__(self, level, number):
        super().__init__(level, number)
        self.to_upper = {}

    def touched(self, way, first=0, count=None):
        count = count or self.ways
        if count == 1:
            return
        half = count // 2
        is_upper = way >= first + half
        self.to_upper[first, count] = not is_upper
        self.touched(way, first + half if is_upper else first, half)

    filled = touched

    def victim(self):
        first, count = 0, self.ways
        while count > 1:
            upper = self.to_upper.get((first, count), False)
            count //= 2
            first += count if upper else 0
        return first


class Srrip(Policy):
    """A. Jaleel et al., ISCA 2010: 2 bits, hit priority."""

    def __init__(self, level, number):
        super().__init__(level, number)
        self.rrpv = [3] * self.ways

    def touched(self, way):
        self.rrpv[way] = 0

    def filled(self, way):
        self.rrpv[way] = 2

    def victim(self):
        while 3 not in self.rrpv:
            self.rrpv = [value + 1 for value in self.rrpv]
        return self.rrpv.index(3)


class Brrip(Srrip):
    """Fills are distant, but for each 32nd of the level."""

    def filled(self, way):
        self.level.distant_fills = getattr(self.level, 'distant_fills', 0) + 1
        self.rrpv[way] = 2 if self.level.distant_fills % 32 == 0 else 3


class Drrip(Brrip):
    """SRRIP or BRRIP, whichever misses less in its leader sets."""

    def __init__(self, level, number):
        super().__init__(level, number)
        apart = max(level.sets // 32, 4)
        self.leads_srrip = number % apart == 0
        self.leads_brrip = number % apart == apart - 1
        if not hasattr(level, 'psel'):
            level.psel = 512

    def missed(self):
        if self.leads_srrip:
            self.level.psel = min(self.level.psel + 1, 1023)
        elif self.leads_brrip:
            self.level.psel = max(self.level.psel - 1, 0)

    def filled(self, way):
        if self.leads_brrip or not self.leads_srrip and self.level.psel > 512:
            Brrip.filled(self, way)
        else:
            Srrip.filled(self, way)


class Random(Policy):
    """A way by a hash of the seed, the set, and the number of its replacements before."""

    def __init__(self, level, number):
        super().__init__(level, number)
        self.replaced = 0

    def victim(self):
        place = (self.number << 32) + self.replaced
        self.replaced += 1
        return splitmix64(self.level.seed + place * 0x9E3779B97F4A7C15) % self.ways


class Opt(Policy):
    """L. Belady, IBM Systems Journal 5 (2), 1966: the line whose next touch is farthest.

    The level has `future`: for each of its lookups the number of the next one of the same line.
    """

    def __init__(self, level, number):
        super().__init__(level, number)
        self.next = [0] * self.ways

    def touched(self, way):
        self.next[way] = self.level.future[self.level.now]

    filled = touched

    def victim(self):
        return self.next.index(max(self.next))


POLICIES = {
    'lru': Lru, 'fifo': Fifo, 'plru': TreePlru, 'srrip': Srrip, 'brrip': Brrip, 'drrip': Drrip,
    'random': Random, 'opt': Opt,
}
