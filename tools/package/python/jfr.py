"""Events of a flight recording as dicts, by libjfr: for e in jfr.events("app.jfr"): print(e["event"], e["startTime"]).

Each event has "event" (its type) and its fields. Times are datetime (UTC), spans are seconds, threads and classes are names,
stack traces are lists of "class.method:line" with the top first, other texts are str, numbers int or float. None stands for
null, and for values that are neither: arrays and other structures. jfr_build.py makes the module that this one needs.
"""
import datetime

from _jfr import ffi, lib

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
SPANS = {lib.JFR_UNIT_NS: 1, lib.JFR_UNIT_US: 1_000, lib.JFR_UNIT_MS: 1_000_000, lib.JFR_UNIT_S: 1_000_000_000}
TIMES = {lib.JFR_UNIT_TIMESTAMP_NS: 1, lib.JFR_UNIT_TIMESTAMP_MS: 1_000_000, lib.JFR_UNIT_TIMESTAMP_S: 1_000_000_000}
BITS = {lib.JFR_BYTE: 8, lib.JFR_SHORT: 16, lib.JFR_INT: 32, lib.JFR_LONG: 64, lib.JFR_CHAR: 16}


class Error(Exception):
    """The recording cannot be read, or is damaged."""


class Reader:
    """Iterates over events. Where something is damaged, on_damage(text) is called, and what comes after it is read; without
    on_damage that is an Error."""

    def __init__(self, path, on_damage=None):
        error = ffi.new("struct jfr_error *")
        self.on_damage = on_damage
        self.reader = lib.jfr_reader_open(str(path).encode(), error)
        if self.reader == ffi.NULL:
            raise Error(f"{path}: {text_of(error.text)}")
        self.reader = ffi.gc(self.reader, lib.jfr_reader_close)
        self.room = ffi.new("uint8_t[]", 65536)
        self.index = None

    def __iter__(self):
        event = ffi.new("struct jfr_event *")
        while (rc := lib.jfr_reader_next(self.reader, event)) != 0:
            if rc < 0:
                text = text_of(lib.jfr_reader_error(self.reader).text)
                if self.on_damage is None or rc in (lib.JFR_E_IO, lib.JFR_E_NOMEM):
                    raise Error(text)
                self.on_damage(text)
            elif event.type != ffi.NULL and event.type.is_event:
                self._enter(lib.jfr_chunk_header(lib.jfr_reader_chunk(self.reader)))
                yield self._event(event)

    def _enter(self, header):
        """Forgets what belongs to the chunk before, whose plans and constants are gone."""
        if self.index == header.index:
            return
        self.index, self.header, self.chunk = header.index, header, lib.jfr_reader_chunk(self.reader)
        self.plans, self.names = {}, {}

    def _plan(self, cls):
        if cls.index not in self.plans:
            fields = [cls.fields + i for i in range(cls.n_fields)]
            paths = ffi.new("const char *[]", [f.name for f in fields])
            plan = lib.jfr_plan_new(self.chunk, cls, paths, len(fields))
            self.plans[cls.index] = plan, [(text_of(f.name), f, self._how(f)) for f in fields], ffi.new("union jfr_value[]", len(fields))
        return self.plans[cls.index]

    def _event(self, event):
        plan, fields, values = self._plan(event.type)
        found = {"event": text_of(event.type.name)}
        if plan == ffi.NULL or lib.jfr_plan_run(plan, event.body, values, ffi.NULL) != 0:
            return found
        for i, (name, field, how) in enumerate(fields):
            found[name] = how(field, values[i], event)
        return found

    # --- values ---

    def _how(self, field):
        """The function that makes a value of a field."""
        kind, name = field.type.kind, text_of(field.type.name)
        if field.is_array:
            return lambda f, v, e: None
        if field.is_pooled:
            make = {"java.lang.Thread": self._thread, "java.lang.Class": self._class, "jdk.types.StackTrace": self._stack}.get(name, self._simple)
            return lambda f, v, e: self._constant(make, f, v.key)
        if kind == lib.JFR_STRING:
            return lambda f, v, e: self._string(v, e)
        if kind == lib.JFR_BOOLEAN:
            return lambda f, v, e: v.i != 0
        if kind in (lib.JFR_FLOAT, lib.JFR_DOUBLE):
            return lambda f, v, e: v.f
        if kind == lib.JFR_STRUCT:
            return lambda f, v, e: None
        return self._number(field)

    def _number(self, field):
        unit = field.unit
        if unit == lib.JFR_UNIT_TIMESTAMP_TICKS:
            return lambda f, v, e: moment(lib.jfr_epoch_ns(self.header, v.i))
        if unit in TIMES:
            return lambda f, v, e: moment(v.i * TIMES[unit])
        if unit == lib.JFR_UNIT_TICKS:
            return lambda f, v, e: lib.jfr_span_ns(self.header, v.i) / 1e9
        if unit in SPANS:
            return lambda f, v, e: v.i * SPANS[unit] / 1e9
        if field.is_unsigned or field.type.kind == lib.JFR_CHAR:
            mask = (1 << BITS[field.type.kind]) - 1
            return lambda f, v, e: v.i & mask
        return lambda f, v, e: v.i

    def _text(self, s):
        if lib.jfr_str_is_null(s):
            return None
        b = ffi.new("struct jfr_buf *", lib.jfr_buf_fixed(self.room, len(self.room)))
        lib.jfr_str_append_utf8(b, s)
        return bytes(ffi.buffer(self.room, b.n)).decode("utf-8", "replace")

    def _string(self, value, event):
        body = ffi.new("struct jfr_cursor *", event.body)
        body.p = value.at
        return self._text(lib.jfr_chunk_resolve(self.chunk, lib.jfr_str_read(body)))

    def _constant(self, make, field, key):
        place = field.type.index, key
        if place not in self.names:
            self.names[place] = make(field, key)
        return self.names[place]

    def _simple(self, field, key):
        return self._text(lib.jfr_simple_text(self.chunk, field.type, key)) if field.type.is_simple else None

    def _class(self, field, key):
        name = self._text(lib.jfr_class_name(self.chunk, field.type, key))
        return None if name is None else name.replace("/", ".")

    def _thread(self, field, key):
        t = ffi.new("struct jfr_thread *")
        if not lib.jfr_thread_get(self.chunk, field.type, key, t):
            return None
        return self._text(t.java_name) or self._text(t.os_name)

    def _stack(self, field, key):
        stacks, frames = ffi.new("struct jfr_stacks *"), ffi.new("struct jfr_frames *")
        if lib.jfr_stacks_init(stacks, self.chunk, field) != 0:
            return None
        index = lib.jfr_pool_find(stacks.traces, key)
        if index < 0 or lib.jfr_stacks_open(stacks, index, frames) != 0:
            return None
        frame, method, found = ffi.new("struct jfr_frame *"), ffi.new("struct jfr_method *"), []
        while lib.jfr_frames_next(frames, frame):
            lib.jfr_method_get(stacks, frame.method_key, method)
            name = (self._text(method.class_name) or "").replace("/", ".")
            found.append(f"{name}.{self._text(method.name) or ''}:{frame.line}")
        return found


def text_of(chars):
    return None if chars == ffi.NULL else ffi.string(chars).decode("utf-8", "replace")


def moment(ns):
    try:
        return EPOCH + datetime.timedelta(microseconds=ns // 1000)
    except OverflowError:  # of null, or beyond the year 9999
        return None


def events(path, on_damage=None):
    return iter(Reader(path, on_damage))
