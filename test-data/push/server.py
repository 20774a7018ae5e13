"""A server that keeps what it gets, and fails in the way that the first word of the path says.

server.py FOLDER [CERTIFICATE]: prints "port N", which PORT=N of the environment chooses. Request N becomes FOLDER/N.json (method, path, status, headers) and the files
FOLDER/N.body or, of a form, FOLDER/N.NAME for each of its parts.
  /busy-2/...     503 twice, then 200        /wait/...  429 with Retry-After: 1, once, then 200
  /reset/...      closes the connection in the middle of the body, once, then 200
  /hang/...       never answers              /401/...   that status, always
"""
import http.server
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading

folder = sys.argv[1]
lock = threading.Lock()
seen = {}
numbers = [0]


def parts_of(kind, body):
    boundary = b"--" + re.search(r'boundary="?([^";]+)', kind).group(1).encode()
    for part in body.split(boundary)[1:-1]:
        head, _, text = part[2:].partition(b"\r\n\r\n")
        yield re.search(rb'name="([^"]+)"', head).group(1).decode(), text[:-2]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            chunks = []
            while size := int(self.rfile.readline(), 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def keep(self, body, status):
        with lock:
            numbers[0] += 1
            name = os.path.join(folder, str(numbers[0]))
        kind = self.headers.get("Content-Type", "")
        parts = parts_of(kind, body) if kind.startswith("multipart/") else [("body", body)]
        for part, text in parts:
            with open(f"{name}.{part}", "wb") as out:
                out.write(text)
        with open(name + ".json", "w") as out:
            json.dump({"method": self.command, "path": self.path, "status": status, "headers": dict(self.headers)}, out)

    def answer(self, status, *headers):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        text = b"" if status == 200 else b"try\nlater"
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def take(self):
        word = self.path.lstrip("/").split("/")[0]
        with lock:
            seen[word] = seen.get(word, 0) + 1
            times = seen[word]
        if word == "reset" and times == 1:
            self.rfile.read(1000)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, headers = 200, []
        if word.startswith("busy-") and times <= int(word[5:]):
            status = 503
        elif word == "wait" and times == 1:
            status, headers = 429, [("Retry-After", "1")]
        elif word == "401":
            status = 401
        elif word == "moved":
            status, headers = 302, [("Location", "/elsewhere")]
        self.keep(self.body(), status)
        if word == "hang":
            threading.Event().wait()
        self.answer(status, *headers)

    do_PUT = do_POST = take


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 0))), Handler)
server.daemon_threads = True
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print("port", server.server_port, flush=True)
server.serve_forever()
