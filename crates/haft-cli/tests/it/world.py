# A network of one machine for the binary: public addresses on a loopback interface, a name server,
# and servers behind them, in namespaces of their own.
#
#     unshare -r -m -n python3 world.py FOLDER COMMAND…
#
# runs the command in it and ends with its exit code. FOLDER has a key and a certificate (`key.pem`,
# `cert.pem`) and gets `private`, the count of all connections to addresses that are not public.
import ctypes, fcntl, gzip, os, socket, ssl, struct, subprocess, sys, threading, time

FOLDER = sys.argv[1]
PUBLIC, PRIVATE = "93.184.215.14", "10.0.0.1"

def interface():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x41))
    for number, address in enumerate([PUBLIC, PRIVATE]):
        request = struct.pack("16sH2x4s8x", b"lo:%d" % number, socket.AF_INET, socket.inet_aton(address))
        fcntl.ioctl(s, 0x8916, request)

def name_servers():
    path = os.path.join(FOLDER, "resolv.conf")
    with open(path, "w") as file:
        file.write("nameserver 127.0.0.1\n")
    if ctypes.CDLL(None).mount(path.encode(), b"/etc/resolv.conf", None, 4096, None) != 0:
        sys.exit("no bind mount")

turns = {}
def addresses(name):
    turns[name] = turns.get(name, -1) + 1
    answers = {
        "inside": [[PRIVATE]],
        "mixed": [[PUBLIC, PRIVATE]],
        "rebind": [[PUBLIC], [PRIVATE]],
        "meta": [["169.254.169.254"]],
        "none": [[]],
    }.get(name.split(".")[0], [[PUBLIC]])
    return answers[turns[name] % len(answers)]

def dns():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 53))
    while True:
        query, peer = s.recvfrom(4096)
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1").lower())
            at += 1 + query[at]
        question = query[12:at + 5]
        is_a = question[-4:-2] == b"\0\x01"
        found = addresses(".".join(labels)) if is_a else []
        answer = query[:2] + b"\x81\x80\0\x01" + struct.pack(">H", len(found)) + b"\0\0\0\0" + question
        for address in found:
            answer += b"\xc0\x0c\0\x01\0\x01\0\0\0\0\0\x04" + socket.inet_aton(address)
        s.sendto(answer, peer)

def page(body, kind="text/plain", *headers):
    lines = [f"content-type: {kind}", f"content-length: {len(body)}", *headers]
    return b"HTTP/1.1 200 OK\r\n" + "".join(line + "\r\n" for line in lines).encode() + b"\r\n" + body

def redirect(to):
    return f"HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n".encode()

def reply(path):
    if path == "/pdf":
        with open(os.path.join(FOLDER, "page.pdf"), "rb") as file:
            return page(file.read(), "application/pdf")
    return {
        "/ok": page(b"all is well"),
        "/page": page(b"<main><h1>Title</h1><p>Some text.</p></main><script>hidden()</script>", "text/html"),
        "/garbage": b"no http at all\r\n\r\n",
        "/half": b"HTTP/1.1 200 OK\r\ncontent-ty",
        "/short": b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort",
        "/length": b"HTTP/1.1 200 OK\r\ncontent-length: minus one\r\n\r\n",
        "/lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        "/chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "/broken": page(b"\x1f\x8b\x08\0not really", "text/plain", "content-encoding: gzip"),
        "/bomb": page(gzip.compress(b"a" * (64 << 20)), "text/plain", "content-encoding: gzip"),
        "/headers": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 20000 + b"\r\n",
        "/loop": redirect("/loop"),
        "/nowhere": b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n",
        "/in": redirect("https://inside.example.org/"),
        "/down": redirect("http://a.example.org/ok"),
        "/meta": redirect("https://169.254.169.254/latest/"),
        "/image": page(b"\x89PNG\r\n\x1a\n" + bytes(100), "image/png"),
    }.get(path, b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")

def served(stream, context):
    try:
        stream = context.wrap_socket(stream, server_side=True)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = stream.recv(4096)
            if not piece:
                return
            head += piece
        path = head.split(b" ")[1].decode()
        if path == "/silent":
            time.sleep(60)
        elif path == "/endless":
            stream.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
            while True:
                stream.sendall(b"a" * 16384)
        else:
            stream.sendall(reply(path))
            stream.close()
    except OSError:
        pass

def echo(stream):
    try:
        stream.recv(4096)
        stream.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nserved")
        stream.close()
    except OSError:
        pass

def listen(address, port, serve):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.listen(512)
    def accept():
        while True:
            stream, _ = s.accept()
            threading.Thread(target=serve, args=(stream,), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()

count = [0]
def counted(stream):
    count[0] += 1
    echo(stream)

interface()
name_servers()
threading.Thread(target=dns, daemon=True).start()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(FOLDER, "cert.pem"), os.path.join(FOLDER, "key.pem"))
for port in (443, 8443):
    listen(PUBLIC, port, lambda stream: served(stream, context))
listen(PUBLIC, 80, echo)
for address in (PRIVATE, "127.0.0.1"):
    for port in (80, 443):
        listen(address, port, counted)
code = subprocess.run(sys.argv[2:]).returncode
path = os.path.join(FOLDER, "private")
before = int(open(path).read()) if os.path.exists(path) else 0
with open(path, "w") as file:
    file.write(str(before + count[0]))
sys.exit(code)
