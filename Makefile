# make help lists the targets.
SHELL   := /bin/bash
.DEFAULT_GOAL := all
PREFIX  ?= /usr/local
CFLAGS  ?= -O2 -g
OBJCOPY ?= objcopy
LIBDIR  ?= $(PREFIX)/lib
AGENTDIR ?= $(LIBDIR)
comma   := ,
B       := build$(if $(SAN),/$(subst $(comma),+,$(SAN)))
MODULES := jfrfmt config convert recorder
Q       := $(if $(V),,@)
.DEFAULT_GOAL := all

# jvmti.h comes with a JDK; without one there is no agent, and nothing else is missing. What begins
# with a setup says so when that brought none.
JDK     := $(patsubst %/include/jvmti.h,%,$(firstword $(wildcard $(JAVA_HOME)/include/jvmti.h /usr/lib/jvm/*/include/jvmti.h)))
ifeq ($(JDK),)
$(if $(filter test threads check oracle bench picture demo,$(MAKECMDGOALS)),,$(info no JDK with headers in JAVA_HOME or /usr/lib/jvm: the agent is not built))
MODULES := $(filter-out recorder,$(MODULES))
endif

ASIDE   := %_test.c %_fuzz.c
FILES   := $(sort $(shell find $(MODULES) tools -name '*.c' -o -name '*_test.sh' -o -name '*.proto'))
# Header of SQLite, which only jfrkit sql loads.
ifeq ($(origin SQLITE),undefined)
SQLITE  := $(firstword $(wildcard /usr/include/sqlite3ext.h /usr/local/include/sqlite3ext.h))
endif
ifeq ($(SQLITE),)
$(if $(filter test threads check oracle bench picture,$(MAKECMDGOALS))$(filter-out 0,$(MAKELEVEL)),,$(info no sqlite3ext.h (libsqlite3-dev): jfrkit is built without sql))
FILES   := $(filter-out convert/sql/% tools/output/answer.c,$(FILES))
endif
# One file that needs no library: `make static`. tools/package/reading says what it leaves out.
ifneq ($(STATIC),)
FILES   := $(filter-out tools/rec/settings.c tools/push/% tools/push.c convert/sql/library.c config/jfc_parse.c recorder/%,$(FILES))
else
FILES   := $(filter-out tools/package/reading/%,$(FILES))
endif
SRC     := $(filter-out $(ASIDE) tools/%,$(filter %.c,$(FILES)))
AGENT   := $(if $(JDK),$(if $(SAN),,$(B)/libjfrkit.so))
TESTED  := $(if $(JDK),$(if $(SAN),,$(B)/walk-agent.so $(B)/walk-example.so))
MAINS   := $(filter $(wildcard tools/*.c),$(FILES))
SHARED  := $(filter-out $(MAINS) $(ASIDE) tools/bench/%,$(filter tools/%.c,$(FILES)))
PROTO   := $(patsubst %.proto,$(B)/%.pb-c,$(filter %.proto,$(FILES)))
OBJ     := $(patsubst %.c,$(B)/%.o,$(SRC) $(SHARED)) $(PROTO:%=%.o)
# Reads names of C++ and Rust; found for the compiler's processor. Without it such names stay mangled.
ifeq ($(origin IBERTY),undefined)
IBERTY  := $(filter /%,$(shell $(CC) -print-file-name=libiberty.a))
endif
NAMES   := $(if $(IBERTY),$(B)/recorder/symbols/libiberty.o)
OBJ     += $(NAMES)
# One program, and its older names as links to it.
LINKS   := $(patsubst tools/%.c,$(B)/%,$(filter-out tools/jfrkit.c,$(wildcard tools/jfr*.c)))
TOOLS   := $(B)/jfrkit $(LINKS)
MANUAL  := $(patsubst %,$(B)/%,$(wildcard tools/man/*.1))
UNIT    := $(patsubst %.c,$(B)/%,$(filter %_test.c,$(FILES)))
SCRIPTS := $(filter %_test.sh,$(FILES))
FUZZ    := $(patsubst %.c,$(B)/fuzz/%,$(filter %_fuzz.c,$(FILES)))
BENCH   := $(patsubst tools/%.c,$(B)/%,$(filter tools/bench/%.c,$(FILES)))
PAGES   := $(wildcard convert/page/*)

override CPPFLAGS += -I. -I$(B) -D_GNU_SOURCE -MMD -MP
override CFLAGS   += -std=c11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
override CFLAGS   += -Wno-missing-field-initializers
override CFLAGS   += -fPIC -fvisibility=hidden -pthread $(if $(CI),-Werror)
override CFLAGS   += $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Who reads beside a fence reads atomics, which are no races without it either.
override CFLAGS   += $(if $(filter thread,$(SAN)),-Wno-tsan)
override LDFLAGS  += -pthread $(if $(SAN),-fsanitize=$(SAN))
XML     := $(shell pkg-config --cflags libxml-2.0 2>/dev/null || echo -I/usr/include/libxml2)
# Only what reads .jfc files needs libxml2 when it runs.
LIBS    := -lzstd -lz -llz4 -ltre -lprotobuf-c -lm $(if $(STATIC),$(if $(SQLITE),-lsqlite3 -lm),-Wl$(comma)--as-needed -lxml2)
$(B)/jfrfmt/%.o: override CFLAGS += -Wconversion -Wno-sign-conversion
$(B)/config/%.o $(B)/fuzz/config/%.o: override CPPFLAGS += $(XML)
$(B)/recorder/%.o $(B)/fuzz/recorder/%.o $(B)/test-data/%.o: override CPPFLAGS += -isystem $(JDK)/include -isystem $(JDK)/include/linux
$(B)/recorder/symbols/demangle.o $(B)/fuzz/recorder/symbols/demangle.o: override CPPFLAGS += $(if $(IBERTY),-DHAS_LIBIBERTY)
$(B)/recorder/symbols/demangle.o $(B)/fuzz/recorder/symbols/demangle.o: $(NAMES)
# What depends on the header is made again when it has come or gone. (Objects that are missing do not make the
# archive again by themselves: they are intermediate files.)
$(shell mkdir -p $(B) && echo '$(SQLITE)' | cmp -s - $(B)/sqlite || echo '$(SQLITE)' >$(B)/sqlite)
$(B)/tools/sql.o $(B)/tools/sql_shell.o: $(B)/sqlite
$(B)/tools/sql.o $(B)/tools/sql_shell.o: override CPPFLAGS += $(if $(SQLITE),-DHAS_SQLITE)
WRAPPED := malloc calloc realloc strdup strndup
$(B)/config/test/jfc_nomem_test: override LDFLAGS += $(WRAPPED:%=-Wl,--wrap=%)

# A class of the JDK to come, in the agent as bytes.
SHIM    := jdk/jfr/ContextType$$Registration jdk/jfr/ContextType$$Shape jdk/jfr/ContextType$$1 jdk/jfr/ContextType
$(B)/recorder/context/shim_classes.h: $(wildcard recorder/java/shim/jdk/jfr/*.java) recorder/java/embed.sh
	$(Q)rm -rf $(B)/shim && mkdir -p $(B)/shim $(@D) && \
	$(JDK)/bin/javac -source 11 -target 11 -nowarn -Xlint:-options --patch-module jdk.jfr=recorder/java/shim -d $(B)/shim $(filter %.java,$^) && \
	recorder/java/embed.sh $(B)/shim shim_classes $(SHIM:%='%') >$@.new && mv $@.new $@
$(B)/recorder/context/shim.o $(B)/fuzz/recorder/context/shim.o: $(B)/recorder/context/shim_classes.h
# What makes contexts of a program's own MDC and OpenTelemetry: classes, ASM among them, in the agent as bytes.
$(B)/recorder/sources/woven_classes.h: recorder/java/weave.sh recorder/java/embed.sh $(wildcard recorder/java/weave/*.java recorder/java/weave/jfrkit/weave/*.java) recorder/java/jfrkit/Memory.java recorder/java/jfrkit/Fence.java
	$(Q)mkdir -p $(@D) && recorder/java/weave.sh $(JDK) $(B)/weave >$@.new && mv $@.new $@
$(B)/recorder/sources/weave.o $(B)/fuzz/recorder/sources/weave.o: $(B)/recorder/sources/woven_classes.h
# The Java side of contexts: class files that Java 8 can load.
JAR     := $(if $(AGENT),$(B)/jfrkit.jar)
$(B)/jfrkit.jar: $(wildcard recorder/java/jfrkit/*.java)
	$(Q)rm -rf $(B)/java && mkdir -p $(B)/java && \
	$(JDK)/bin/javac --release 8 -Xlint:-options -d $(B)/java $^ && $(JDK)/bin/jar cf $@ -C $(B)/java .
$(NAMES): $(IBERTY)
	$(Q)mkdir -p $(@D) && $(CC) -r -nostdlib -Wl,-u,rust_demangle_callback,-u,cplus_demangle_v3_callback -o $@ $<
all: $(TOOLS) $(JAR) $(AGENT) $(TESTED) $(B)/libjfrkit-config.so $(MANUAL)

$(B)/libjfrkit.a: $(OBJ) $(B)/sqlite
	$(Q)rm -f $@ && $(AR) rcs $@ $(OBJ)
# The format as a library for other programs: what begins with jfr_, and nothing else.
VERSION := $(shell tools/package/version.sh)
LIBJFR  := $(patsubst %.c,$(B)/libjfr/%.o,$(filter jfrfmt/%,$(SRC)))
HEADERS := $(sort $(filter jfrfmt/%.h,$(shell $(CC) -I. -M jfrfmt/jfr.h jfrfmt/write/writer.h)))
$(B)/libjfr/%.o: %.c Makefile tools/package/prefix.sh
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $$(tools/package/prefix.sh flags $(HEADERS)) $(CFLAGS) -fvisibility=default -c -o $@ $<
$(B)/libjfr.so.$(VERSION): $(LIBJFR) jfrfmt/libjfr.map
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libjfr.so.1,-z,defs,-z,relro,--version-script=jfrfmt/libjfr.map,--as-needed -o $@ $(LIBJFR) -lzstd -lz -llz4
$(B)/libjfr.a: $(LIBJFR)
	$(Q)rm -f $@ && $(CC) -r -nostdlib -o $(B)/libjfr/all.o $^ && \
	$(OBJCOPY) -w --keep-global-symbol='jfr_*' $(B)/libjfr/all.o && $(AR) rcs $@ $(B)/libjfr/all.o
lib: $(B)/libjfr.so.$(VERSION) $(B)/libjfr.a
# What the ABI is compared with (jfrfmt/test/library_test.sh): made anew when something was added.
abi: $(B)/libjfr.so.$(VERSION)
	$(Q)abidw --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --type-id-style hash --headers-dir . $< | gzip -9n >jfrfmt/libjfr.abi.gz

$(B)/jfrkit: $(MAINS:%.c=$(B)/%.o) $(patsubst %.c,$(B)/%.o,$(filter tools/package/reading/%,$(FILES))) $(B)/libjfrkit.a
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
static:
	$(Q)$(MAKE) --no-print-directory B=$(B)/static STATIC=1 LDFLAGS='-static -Wl$(comma)--gc-sections $(STATIC_LDFLAGS)' CFLAGS='-O2 -ffunction-sections -fdata-sections' $(B)/static/jfrkit
	$(Q)$(or $(STRIP),strip) -o $(B)/jfrkit-static.new $(B)/static/jfrkit && mv $(B)/jfrkit-static.new $(B)/jfrkit-static && ls -l $(B)/jfrkit-static
$(LINKS): $(B)/jfrkit
	$(Q)ln -sf jfrkit $@
# Loads in any container: libc is all it needs, and nothing of it is seen but Agent_*.
$(B)/libjfrkit.so: $(patsubst %.c,$(B)/%.o,$(filter recorder/%,$(SRC))) $(B)/libjfrkit.a | recorder/agent/agent.map
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libjfrkit.so,-z,defs,-z,now,-z,relro,--version-script=recorder/agent/agent.map,--as-needed,--gc-sections,--exclude-libs,ALL -o $@ $^ -l:libzstd.a
# Runs the stack walker inside a VM and compares; its natives are found by name.
$(B)/test-data/%.o $(B)/recorder/context/java.o $(B)/recorder/custom/from_java.o $(B)/recorder/context/shim.o: override CFLAGS += -Wno-missing-prototypes
$(B)/walk-agent.so: $(patsubst %.c,$(B)/%.o,$(wildcard test-data/agent/walk*.c)) $(B)/libjfrkit.a
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs,--exclude-libs,ALL -o $@ $^ $(LIBS)
# A profiler as others would write one; of ours it links the format library alone.
$(B)/walk-example.so: $(B)/test-data/agent/example.o $(B)/libjfrkit.a
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs,--exclude-libs,ALL -o $@ $^ $(LIBS)
$(filter %alloc_test,$(UNIT)): override LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(UNIT): %: %.o $(B)/libjfrkit.a
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)
$(BENCH): $(B)/bench/%: $(B)/tools/bench/%.o $(B)/libjfrkit.a
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/%.o: %.c Makefile
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
# The flame-graph page as bytes; its policy holds the hashes of its style and script.
$(B)/convert/page.h: $(PAGES)
	$(Q)mkdir -p $(@D) && convert/page/embed.sh >$@.new && mv $@.new $@
$(B)/convert/flame/flame.o $(B)/fuzz/convert/flame/flame.o: $(B)/convert/page.h
# The same for the event reference of jfrmeta.
$(B)/convert/page_meta.h: $(wildcard convert/page/meta.* convert/page/embed_meta.sh)
	$(Q)mkdir -p $(@D) && convert/page/embed_meta.sh >$@.new && mv $@.new $@
$(B)/convert/meta/html.o $(B)/fuzz/convert/meta/html.o: $(B)/convert/page_meta.h
# The built-in settings as tables, and the library that reads other .jfc files for the agent.
$(B)/recorder/settings/builtin.h: recorder/settings/embed.sh config/default.jfc config/profile.jfc
	$(Q)mkdir -p $(@D) && $< >$@.new && mv $@.new $@
$(B)/recorder/settings/settings.o $(B)/fuzz/recorder/settings/settings.o: $(B)/recorder/settings/builtin.h
$(B)/libjfrkit-config.so: $(patsubst %.c,$(B)/%.o,$(filter config/%,$(SRC))) $(B)/jfrfmt/base/array.o $(B)/jfrfmt/base/hashtable.o
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $^ -lxml2
$(B)/recorder/settings/test/settings_test: | $(B)/libjfrkit-config.so
# What protobuf formats are made of, from their field numbers.
$(B)/convert/%.pb-c.c $(B)/convert/%.pb-c.h: convert/%.proto
	$(Q)mkdir -p $(@D) && protoc --proto_path=. --c_out=$(B) $<
$(PROTO:%=%.o): %.o: %.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(B)/fuzz/convert/%.pb-c.o: $(B)/convert/%.pb-c.c
	$(Q)mkdir -p $(@D) && $(FUZZCC),fuzzer-no-link $(CPPFLAGS) -std=c11 -g -O1 -c -o $@ $<
$(B)/convert/formats/pprof.o $(B)/fuzz/convert/formats/pprof.o: $(B)/convert/formats/pprof.pb-c.h
$(foreach o,otlp otlp_resource,$(B)/convert/formats/$(o).o $(B)/fuzz/convert/formats/$(o).o): $(B)/convert/formats/otlp.pb-c.h
$(B)/convert/rewrite/labels.o $(B)/fuzz/convert/rewrite/labels.o: $(B)/convert/rewrite/labels.pb-c.h
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# What a fresh machine lacks is installed first; nothing happens where all is there.
setup:
	$(Q)tools/setup.sh
setup-demo:
	$(Q)tools/setup.sh demo
# A make of its own after the setup, since a JDK or a library may have come with it.
test: setup
	$(Q)$(MAKE) --no-print-directory selected
soak: setup
	$(Q)SOAK=1 KILLS=500 TIMEOUT=7200 $(MAKE) --no-print-directory selected
	$(Q)tools/test/bare.sh
# Scripts of the converters that need a JVM name one of these files; those of the page need a browser.
quick: setup
	$(Q)$(MAKE) --no-print-directory SCRIPTS='$(shell grep -LE 'jdk_lib|workload/lib|rewrite_lib|/usr/lib/jvm|jmc\.sh' $(filter-out convert/flame/test/page%,$(filter convert/% tools/%,$(SCRIPTS))))' selected
# Those whose path matches the regular expression ONLY, or all. Unit tests need the library alone.
ifneq ($(ONLY),)
UNITS_RUN   := $(addprefix $(B)/,$(shell printf '%s\n' $(UNIT:$(B)/%=%) | grep -E -- '$(ONLY)'))
SCRIPTS_RUN := $(shell printf '%s\n' $(SCRIPTS) | grep -E -- '$(ONLY)')
else
UNITS_RUN   := $(UNIT)
SCRIPTS_RUN := $(SCRIPTS)
endif
# Unit tests that a script runs for its own purpose, by their paths in it.
UNITS_USED  := $(filter $(UNIT),$(if $(SCRIPTS_RUN),$(addprefix $(B)/,$(shell grep -ohE '[a-z][a-z_/]*/test/[a-z_]+_test\b' $(SCRIPTS_RUN)))))
selected: $(if $(SCRIPTS_RUN),all lib $(BENCH))
	$(Q)[ -n "$(firstword $(UNITS_RUN) $(SCRIPTS_RUN))" ] || { echo "ONLY=$(ONLY) matches no test" >&2; exit 2; }
	$(Q)! tools/setup.sh --has cmocka.h || $(MAKE) --no-print-directory unit
	$(Q)B=$(B) tools/test.sh $(UNITS_RUN) $(SCRIPTS_RUN)
unit: $(UNITS_RUN) $(UNITS_USED)
# What several threads use at once, under ThreadSanitizer.
THREADED := capture/test/ring capture/test/threads capture/test/wake capture/test/capture agent/test/control context/test/context context/test/values custom/test/types api/test/jfrkit_find
threads: setup
	$(Q)$(MAKE) --no-print-directory SAN=thread UNIT='$(THREADED:%=build/thread/recorder/%_test)' SCRIPTS= selected
check: setup
	$(Q)$(MAKE) --no-print-directory all lib && B=$(B) tools/check.sh
demo: setup-demo
oracle bench picture: setup
oracle bench demo picture:
	$(Q)$(MAKE) --no-print-directory all $(BENCH) && B=$(B) $(firstword $(wildcard tools/$@.sh tools/*/$@.sh))

FUZZCC := clang -pthread -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fno-sanitize-recover=all -fsanitize=address,undefined
$(B)/fuzz/%.o: %.c Makefile
	$(Q)mkdir -p $(@D) && $(FUZZCC),fuzzer-no-link $(CPPFLAGS) -std=c11 -g -O1 -c -o $@ $<
$(FUZZ): %: %.o $(SRC:%.c=$(B)/fuzz/%.o) $(NAMES) $(PROTO:$(B)/%=$(B)/fuzz/%.o)
	$(Q)$(FUZZCC),fuzzer -o $@ $^ $(LIBS)
fuzz: $(FUZZ)
	$(Q)tools/fuzz.sh $(or $(T),20) $^

# Manual pages, and the reference of all options, are made from the tables of the programs.
$(MANUAL): $(B)/%: % tools/man/page.awk $(TOOLS)
	$(Q)mkdir -p $(@D) && awk -v bin=$(B) -f tools/man/page.awk $< >$@.new && mv $@.new $@
options: $(TOOLS)
	$(Q)B=$(B) tools/options.sh >tools/docs/options.md

install: install-programs install-agent install-lib
install-programs: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m755 $(B)/jfrkit $(DESTDIR)$(PREFIX)/bin
	cd $(DESTDIR)$(PREFIX)/bin && for t in $(notdir $(LINKS)); do ln -sf jfrkit $$t || exit 1; done
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	for t in $(notdir $(LINKS)); do cd $(DESTDIR)$(PREFIX)/share && \
	    $(abspath $(B))/$$t --completion=bash >bash-completion/completions/$$t && \
	    $(abspath $(B))/$$t --completion=zsh >zsh/site-functions/_$$t && \
	    $(abspath $(B))/$$t --completion=fish >fish/vendor_completions.d/$$t.fish || exit 1; done
	cd $(DESTDIR)$(PREFIX)/share && $(abspath $(B))/jfrkit completion bash >bash-completion/completions/jfrkit && \
	    $(abspath $(B))/jfrkit completion zsh >zsh/site-functions/_jfrkit && \
	    $(abspath $(B))/jfrkit completion fish >fish/vendor_completions.d/jfrkit.fish
	install -m644 $(MANUAL) $(DESTDIR)$(PREFIX)/share/man/man1
# The agent, what it reads, and its API.
install-agent: all
	install -d $(DESTDIR)$(AGENTDIR) $(DESTDIR)$(PREFIX)/share/jfrkit
	install -m755 $(AGENT) $(B)/libjfrkit-config.so $(DESTDIR)$(AGENTDIR)
	install -m644 $(wildcard config/*.jfc) $(JAR) $(wildcard $(B)/weave/LICENSE.asm) $(DESTDIR)$(PREFIX)/share/jfrkit
	install -d $(DESTDIR)$(PREFIX)/include
	install -m644 recorder/api/jfrkit_*.h $(DESTDIR)$(PREFIX)/include
install-lib: lib
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m644 $(B)/libjfr.so.$(VERSION) $(B)/libjfr.a $(DESTDIR)$(LIBDIR)
	ln -sf libjfr.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libjfr.so.1
	ln -sf libjfr.so.1 $(DESTDIR)$(LIBDIR)/libjfr.so
	for h in $(HEADERS); do install -D -m644 <(tools/package/prefix.sh header $$h) $(DESTDIR)$(PREFIX)/include/jfr/$$h || exit 1; done
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' tools/package/jfrkit.pc >$(DESTDIR)$(LIBDIR)/pkgconfig/jfrkit.pc
# One jar: the API, the agent, and the program.
bundle: all static
	$(Q)B=$(B) tools/package/bundle.sh $(JDK)
install-maven: bundle
	$(Q)tools/package/maven.sh $(B)/bundle
# What is released: the source archive, what it is made of, Debian packages. tools/package has the scripts.
dist:
	$(Q)B=$(B) tools/package/dist.sh
deb:
	$(Q)B=$(B) tools/package/deb.sh
sbom:
	$(Q)B=$(B) tools/package/sbom.sh
clean:
	rm -rf build

define HELP
make                 build the programs, the agent and the jar, in build/
make demo            record a small service and show what each of its users took
make test            all tests: unit tests, and scripts against the JDKs of this machine; JVMs of
                     other releases come from PyPI to build/jdks where that can be reached
make test ONLY=json  tests whose path matches a regular expression; builds what they need
make quick           all unit tests, and scripts of the converters that need no JVM and no browser
make threads         unit tests of what several threads use at once, under ThreadSanitizer
make check           includes, format, clang-tidy, manual pages and other rules of the source
make soak            the tests that can take longer, at their full length, and the README's two
                     commands on a bare Debian: an hour and more
make fuzz T=20       so many seconds of fuzzing for each target
make oracle          converters against the JDK's own tools, in detail
make bench           time and memory beside the peers
make options         tools/docs/options.md, the reference of all options
make picture         the picture of README.md, from the page of make demo
make install PREFIX=/usr/local DESTDIR=
make static          one program of 5 MB that needs no library: build/jfrkit-static
make bundle          build/bundle/jfrkit.jar: the API, the agent and the program in one jar
make install-maven   the same in Maven's local repository, as jfrkit:jfrkit and jfrkit:jfrkit-api
make lib             libjfr.so and libjfr.a, the reader and writer for other programs
make dist, deb, sbom the source archive; Debian packages, in build/deb; what both contain (SPDX)
make clean
Options: JOBS=6 (tests at a time) SAN=address,undefined (a build with sanitizers) V=1 (show commands)
endef
export HELP
help:
	@echo "$$HELP"
.PHONY: all setup setup-demo test quick soak selected unit threads check oracle bench picture fuzz demo options lib static install install-programs install-agent install-lib install-maven abi bundle dist deb sbom clean help
