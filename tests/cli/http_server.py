"""A web server with ranges, on loopback, which fails as it is told: http_server.py FOLDER [CERTIFICATE].

With a certificate, a file that has the key, too, it is a server of https. It writes its port into FOLDER/port, and a
line for each request into FOLDER/requests: status, first byte, bytes sent, path. The last word of a path says how the
server behaves, /NAME.trace/MODE. Modes whose failure passes fail twice for each range that is asked for."""
import hashlib
import hmac
import http.server
import os
import re
import socket
import ssl
import struct
import sys
import threading

folder = sys.argv[1]
lock = threading.Lock()
failures = {}   # by path and range
counts = {}     # requests by path


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def note(self, status, first, sent):
        with lock, open(os.path.join(folder, 'requests'), 'a') as file:
            file.write(f'{status} {first} {sent} {self.path} {self.headers.get("If-Match", "-")}\n')

    def answer(self, status, headers=(), body=b'', first=-1):
        self.note(status, first, len(body))     # now, as the client may not wait for the end
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fails_again(self, key, times=2):
        with lock:
            failures[key] = failures.get(key, 0) + 1
            return failures[key] <= times

    def signature(self):
        """Returns the credential of a request whose signature by the key "secret" is right (AWS's documentation of
        Signature Version 4), or what is wrong."""
        parts = re.fullmatch(r'AWS4-HMAC-SHA256 Credential=([^,]*), ?SignedHeaders=([^,]*), ?Signature=([^,]*)',
                             self.headers.get('Authorization', ''))
        if not parts:
            return 'unsigned'
        credential, names, given = parts.groups()
        scope = credential.split('/')[1:]
        path, _, query = self.path.partition('?')
        request = '\n'.join(['GET', path, query, *(f'{name}:{self.headers[name].strip()}'
                             for name in names.split(';')), '', names, self.headers['x-amz-content-sha256']])
        text = '\n'.join(['AWS4-HMAC-SHA256', self.headers['x-amz-date'], '/'.join(scope),
                          hashlib.sha256(request.encode()).hexdigest()])
        key = b'AWS4secret'
        for word in scope + [text]:
            key = hmac.new(key, word.encode(), hashlib.sha256).digest()
        token = names if 'x-amz-security-token' in self.headers else 'no-token'
        return f'{credential}:{token}' if key.hex() == given else 'wrong'

    def do_GET(self):
        match = re.fullmatch(r'/([\w.-]+)/([\w-]+)(\?.*)?', self.path)
        try:
            with open(os.path.join(folder, match[1]), 'rb') as file:
                contents = file.read()
        except (OSError, TypeError):
            return self.answer(404, body=b'no such file')
        mode = match[2]
        with lock:
            counts[self.path] = number = counts.get(self.path, 0) + 1
        if mode == 'signed':
            self.note(self.signature(), -1, 0)
        asked = re.fullmatch(r'bytes=(\d+)-(\d+)', self.headers.get('Range', ''))
        if mode == 'no-ranges' or not asked:
            return self.answer(200, body=contents)
        first, last = int(asked[1]), min(int(asked[2]), len(contents) - 1)
        if first >= len(contents):
            return self.answer(416, [('Content-Range', f'bytes */{len(contents)}')])
        self.serve(mode, number, contents, first, last)

    def serve(self, mode, number, contents, first, last):
        body, total = contents[first:last + 1], len(contents)
        tag = '"second"' if mode == 'changes' and number > 1 or mode == 'ignores-match' and number > 1 else '"first"'
        key = (self.path, first, last)
        if mode == 'busy' and self.fails_again(key):
            return self.answer(503 if failures[key] == 1 else 429, body=b'later', first=first)
        if mode in ('busy-for-2', 'busy-for-years') and self.fails_again(key, 1):
            seconds = '2' if mode == 'busy-for-2' else str(10 ** 9)
            return self.answer(503, [('Retry-After', seconds)], body=b'later', first=first)
        if mode == 'always-busy':
            return self.answer(500, body=b'never', first=first)
        if mode == 'denied':
            return self.answer(403, body=b'no', first=first)
        if mode == 'changes' and self.headers.get('If-Match', tag) != tag:
            return self.answer(412, first=first)
        if mode == 'other-range' and number > 1:
            first, body = first + 1, contents[first + 1:last + 1]
        if mode == 'grows' and number > 1:
            total += 1
        headers = [('Content-Range', f'bytes {first}-{first + len(body) - 1}/{total}'), ('ETag', tag)]
        if mode == 'no-range-header':
            headers = [('ETag', tag)]
        if mode == 'huge':
            headers[0] = ('Content-Range', 'bytes 0-99999999999999999999/99999999999999999999')
        if mode == 'redirects' and 'again' not in self.path:
            return self.answer(302, [('Location', self.path + '?again')], body=b'x' * 100)
        if mode == 'to-file':
            return self.answer(302, [('Location', 'file:///etc/passwd')])
        if mode == 'endless-redirect':
            self.note(302, first, 0)
            self.send_response(302)
            self.send_header('Location', self.path + '?again')
            self.send_header('Transfer-Encoding', 'chunked')
            self.end_headers()
            while True:
                self.wfile.write(b'10000\r\n' + bytes(65536) + b'\r\n')
        if mode == 'longer':
            body += b'more'
        short = mode == 'short' and self.fails_again(key)
        reset = mode == 'reset' and self.fails_again(key)
        silent = mode == 'silent' and self.fails_again(key, 1)
        if mode == 'dies-late' and first > 3000000:
            reset = True
        if not (short or reset or silent):
            return self.answer(206, headers, body, first)
        self.send_response(206)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.note('silent' if silent else 'cut', first, len(body) // 2)
        self.wfile.write(body[:len(body) // 2])
        self.wfile.flush()
        if silent:
            self.connection.recv(1)     # until the client has had enough
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(('127.0.0.1', 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(os.path.join(folder, 'port.new'), 'w') as file:
    file.write(str(server.server_address[1]))
os.rename(os.path.join(folder, 'port.new'), os.path.join(folder, 'port'))
server.serve_forever()
