#!/bin/bash
# What native frames cost: nanoseconds per walk and frame with warm caches (a program that walks
# itself) and with cold ones (threads of JVMs, one after the other), memory of rules and symbols by
# library. Asserts nothing.
set -u
B=${B:-build}

echo 'native frames, warm caches'
B=$B recorder/native/test/walk_test.sh | grep -E '^# [0-9]+ (frames|libraries,)|rows kept' | sed 's/^# /  /'
echo 'native frames of JVM threads, cold caches'
B=$B recorder/capture/test/native_threads_test.sh | grep -E '^(ok|not ok|# COST)' | cut -c1-200 | sed 's/^# /  /'
echo 'copies of stacks instead of walks in the handler'
B=$B recorder/walk/test/snapshot_test.sh
exit 0
