#!/usr/bin/env python3
"""Prints the tables in which HotSpot tells debuggers where its fields are, from libjvm.so alone.

usage: dump.py /usr/lib/jvm/NAME/lib/server/libjvm.so >jdk17.txt

One entry a line: S|type|field|its type|static|offset, T|type|||||size, I|name|value, L|name|value.
The library exports the tables, the distance of their entries and the offsets in an entry.
"""
import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1])


def number(name):
    return ctypes.c_uint64.in_dll(lib, name).value


def word(at, kind=ctypes.c_uint64):
    return kind.from_address(at).value


def text(at):
    return ctypes.string_at(word(at)).decode() if word(at) else ''


def entries(table, kind):
    at, step = number(table), number(kind + 'ArrayStride')
    name = number(kind + ('TypeNameOffset' if kind.endswith(('StructEntry', 'TypeEntry')) else 'NameOffset'))
    while word(at + name):
        yield at
        at += step


def offset(kind, member):
    return number(kind + member + 'Offset')


s, t, i, l = 'gHotSpotVMStructEntry', 'gHotSpotVMTypeEntry', 'gHotSpotVMIntConstantEntry', 'gHotSpotVMLongConstantEntry'
for e in entries('gHotSpotVMStructs', s):
    static = word(e + offset(s, 'IsStatic'), ctypes.c_int32)
    print('S', text(e + offset(s, 'TypeName')), text(e + offset(s, 'FieldName')), text(e + offset(s, 'TypeString')), static,
          -1 if static else word(e + offset(s, 'Offset')), sep='|')
for e in entries('gHotSpotVMTypes', t):
    print('T', text(e + offset(t, 'TypeName')), '', '', '', '', word(e + offset(t, 'Size')), sep='|')
for kind, table, letter, size in ((i, 'gHotSpotVMIntConstants', 'I', ctypes.c_int32),
                                  (l, 'gHotSpotVMLongConstants', 'L', ctypes.c_uint64)):
    for e in entries(table, kind):
        print(letter, text(e + offset(kind, 'Name')), word(e + offset(kind, 'Value'), size), sep='|')
