"""stacks.py FILE...: OTLP profiles as lines "TYPE/UNIT ATTRIBUTES TRACE;FRAME;...;FRAME VALUE", sums by line, sorted.

Reads the bytes by the field numbers of opentelemetry-proto 1.10 and shares no code with the writer. The attributes of the
resource come first, a line each. An id of zeros is none.
"""
import collections
import sys


def fields(b):
    """(number, value) of each field of a message: a number, or bytes."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = b[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, int.from_bytes(b[at:at + 8], "little")
            at += 8
        elif key & 7 == 2:
            n = varint()
            yield key >> 3, b[at:at + n]
            at += n
        else:
            raise ValueError(f"wire type {key & 7}")


def several(b, number):
    return [v for n, v in fields(b) if n == number]


def one(b, number, default=0):
    return (several(b, number) or [default])[-1]


def numbers(b, number):
    """A repeated number, packed or not."""
    found = []
    for v in several(b, number):
        if isinstance(v, int):
            found.append(v)
            continue
        n = shift = 0
        for byte in v:
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                found.append(n)
                n = shift = 0
    return found


def value(b, texts):
    """A value; 8: the number of a text, as opentelemetry-proto 1.11 has it and a collector writes it."""
    for number, v in fields(b):
        return v.decode() if number == 1 else texts[v].decode() if number == 8 else str(v)
    return ""


def main():
    for file in sys.argv[1:]:
        data = open(file, "rb").read()
        words = one(data, 2, b"")
        locations, functions, links, texts, attributes, stacks = (several(words, i) for i in (2, 3, 4, 5, 6, 7))

        def text(i):
            return texts[i].decode()

        def attribute(i):
            return text(one(attributes[i], 1)) + "=" + value(one(attributes[i], 2, b""), texts)

        def frame(i):
            lines = several(locations[i], 3)
            return "+".join(text(one(functions[one(x, 1)], 1)) for x in lines)

        sums = collections.Counter()
        for resource in several(data, 1):
            for a in several(one(resource, 1, b""), 1):
                key = one(a, 1, b"").decode() or text(one(a, 3))
                print("resource", key + "=" + value(one(a, 2, b""), texts))
            for profile in (p for scope in several(resource, 2) for p in several(scope, 2)):
                kind = one(profile, 1, b"")
                name = text(one(kind, 1)) + "/" + text(one(kind, 2))
                for sample in several(profile, 2):
                    link = links[one(sample, 3)] if links else b""
                    head = ",".join(sorted(attribute(i) for i in numbers(sample, 2)))
                    trace = "".join(i.hex() for i in (one(link, 1, b""), one(link, 2, b"")) if any(i))
                    frames = [frame(i) for i in numbers(stacks[one(sample, 1)], 1)]
                    line = f"{name} {head} {trace};" + ";".join(reversed(frames))
                    sums[line] += sum(numbers(sample, 4)) or len(several(sample, 5))
        for line, n in sorted(sums.items()):
            print(line, n)


main()
