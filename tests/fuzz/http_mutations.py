# SPDX-License-Identifier: MIT
"""A hostile web server on loopback: http_mutations.py FILE PORT-FILE.

The path of a request is a seed, /SEED, which decides how the answers, right ones for ranges of FILE at first, are changed:
status lines, ranges, lengths, codings, entity tags and redirects; heads and bodies that are cut, slow or without end."""
import os
import random
import re
import socket
import sys
import threading
import time

with open(sys.argv[1], 'rb') as file:
    CONTENTS = file.read()
NUMBERS = [-1, 0, 1, 65535, 65536, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
requests = {}   # by seed


class Answer:
    def __init__(self, first, last):
        total = len(CONTENTS)
        last = min(last, total - 1)
        self.body = CONTENTS[first:last + 1]
        self.version, self.status, self.reason = 'HTTP/1.1', 206, 'Partial Content'
        self.range = [first, last, total]
        self.headers = [['ETag', '"tag"'], ['Content-Length', len(self.body)]]
        self.tail = 'close'     # then: close, reset, slow, endless-body, endless-headers, endless-interims
        self.cut = None

    def set(self, name, value):
        self.headers = [header for header in self.headers if header[0] != name] + [[name, value]]

    def change(self, r):
        """Makes one change."""
        kind = r.randrange(14)
        if kind == 0:
            self.status = r.choice([0, 99, 100, 101, 199, 200, 204, 206, 300, 304, 400, 401, 404, 408, 412, 416, 429, 500, 503,
                                    599, 999, 2060, 'x', ''])
        elif kind == 1:
            self.version = r.choice(['HTTP/0.9', 'HTTP/1.0', 'HTTP/2', 'HTTP/9.9', 'HTTP/', 'ICY', '', 'FTP/1.1'])
        elif kind == 2:
            self.range[r.randrange(3)] = r.choice(NUMBERS + [self.range[0] + 1, self.range[1] - 1, self.range[2] + 1, '*', ''])
        elif kind == 3:
            self.range = r.choice([None, [0, 0, 1], self.range[::-1] if self.range else None, ['', '', '']])
        elif kind == 4:
            self.set('Content-Length', r.choice(NUMBERS + [len(self.body) + 1, len(self.body) - 1, 'many', '']))
        elif kind == 5:
            self.headers.append(['Content-Length', len(self.body) + r.randrange(3)])
        elif kind == 6:
            self.status = r.choice([301, 302, 303, 307, 308])
            self.set('Location', r.choice(['file:///etc/passwd', 'ftp://127.0.0.1:1/', 'gopher://127.0.0.1:1/', 'dict://127.0.0.1/',
                                           'http://127.0.0.1:1/', 'http://', '//', '', 'http:///', '?', '/' * 70000, '\x01',
                                           'javascript:1', 'http://[::1', 'data:,x', 'scp://127.0.0.1/etc/passwd']))
        elif kind == 7:
            self.set('ETag', r.choice(['', '"', 'W/"tag"', '"other"', 'x' * 70000, '"\x01\xff"', '"a\r\n b"']))
        elif kind == 8:
            self.headers.append(['Transfer-Encoding', r.choice(['chunked', 'gzip', 'identity', 'chunked, chunked'])])
        elif kind == 9:
            self.headers.append(['Content-Encoding', r.choice(['gzip', 'br', 'deflate', 'none'])])
        elif kind == 10:
            self.headers.append(['Retry-After', r.choice(NUMBERS + ['soon', 'Fri, 31 Dec 9999 23:59:59 GMT'])])
            self.status = r.choice([429, 503])
        elif kind == 11:
            self.cut = r.random()
        elif kind == 12:
            self.tail = r.choice(['reset', 'slow', 'endless-body', 'endless-headers', 'endless-interims'])
        else:
            self.body = self.body[:r.randrange(len(self.body) + 1)] if r.random() < 0.5 else self.body + b'more'

    def head(self):
        lines = [f'{self.version} {self.status} {self.reason}']
        if self.range:
            lines.append('Content-Range: bytes {}-{}/{}'.format(*self.range))
        return lines + [f'{name}: {value}' for name, value in self.headers]


def endlessly(connection, piece):
    while True:
        connection.sendall(piece)


def send(connection, answer, r):
    if answer.tail == 'endless-body':
        answer.headers = [header for header in answer.headers if header[0] != 'Content-Length']
        connection.sendall('\r\n'.join(answer.head() + ['', '']).encode('latin-1'))
        endlessly(connection, bytes(65536))
    if answer.tail == 'endless-headers':
        connection.sendall('\r\n'.join(answer.head() + ['']).encode('latin-1'))
        endlessly(connection, b'X-Header: value\r\n' * 1000)
    if answer.tail == 'endless-interims':
        endlessly(connection, b'HTTP/1.1 103 Early Hints\r\n\r\n' * 1000)
    data = '\r\n'.join(answer.head() + ['', '']).encode('latin-1') + answer.body
    if answer.cut is not None:
        data = data[:int(answer.cut * len(data))]
    if answer.tail == 'slow':
        for at in range(0, len(data), 7):
            connection.sendall(data[at:at + 7])
            time.sleep(0.1)
    connection.sendall(data)
    if answer.tail == 'reset':
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')


def serve(connection):
    try:
        head = b''
        while b'\r\n\r\n' not in head:
            got = connection.recv(65536)
            if not got:
                return
            head += got
        match = re.match(rb'GET /(\d+)', head)
        asked = re.search(rb'bytes=(\d+)-(\d+)', head)
        seed = int(match[1])
        number = requests[seed] = requests.get(seed, 0) + 1
        answer = Answer(int(asked[1]), int(asked[2]))
        r = random.Random(seed)
        first = r.randrange(1, 4)   # the request of which the answers are changed, and all later ones, or this one
        lasts = r.random() < 0.5
        if seed and (number == first or lasts and number > first):
            for _ in range(r.choice([1, 1, 1, 2, 4])):
                answer.change(r)
        send(connection, answer, r)
    except (OSError, TypeError, ValueError):
        pass
    finally:
        connection.close()


listener = socket.create_server(('127.0.0.1', 0), backlog=100)
with open(sys.argv[2] + '.new', 'w') as file:
    file.write(str(listener.getsockname()[1]))
os.rename(sys.argv[2] + '.new', sys.argv[2])
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
