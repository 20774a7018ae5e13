#!/bin/bash
# Prints the version, which tools/cli/cli.h has.
exec sed -n 's/.*JFRKIT_VERSION "\([^"]*\)".*/\1/p' tools/cli/cli.h
