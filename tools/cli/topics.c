/* topics.c - what words mean that several options take: --help=where, context, time. */
#include "tools/cli/internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    const char *option; /* commands that have it have the topic */
    const char *text;
} topics[] = {
    {"where", "where",
     "A condition on events, for --where:\n"
     "\n"
     "  a or b, a and b, not a, ( )    \"and\" binds closer than \"or\"\n"
     "  x = y, x != y, x < y, x <= y, x > y, x >= y\n"
     "  x ~ /re/, x !~ /re/            the regular expression matches in the text\n"
     "  x                              it has a value, and that is not false\n"
     "\n"
     "  path                           a field, of a field: eventThread.group.name\n"
     "  ctx.user                       a value of the event's context\n"
     "  event                          the full name of the event's type\n"
     "  frame                          any frame of the stack: java.util.ArrayList.add\n"
     "  12, -0.5, 0x1f, null, true     numbers and words\n"
     "  10ms, 1h30m, 64kB, 50%         times, bytes, shares\n"
     "  'text', \"text\"                 a text, or a time: '2026-11-20T09:34:16Z'\n"
     "\n"
     "A field that a type does not have is null: no comparison with it is true.\n"
     "\n"
     "  --where 'duration > 10ms and path ~ /log/ and ctx.user = \"alice\"'\n"
     "  --where 'event ~ /Socket/ and bytesRead >= 64kB and not frame ~ /netty/'\n"},
    {"context", "context",
     "A user, trace or action, for --context and --not-context:\n"
     "\n"
     "  user=alice                     this value; also with * and ?, or as /regex/\n"
     "  user!=alice                    any other, or none\n"
     "  user=                          none\n"
     "  user                           any\n"
     "\n"
     "An event matches if, for each key, it has one of the values given. A key is the\n"
     "name of an attribute (user) or its full name (Request.user). Contexts are fields\n"
     "of the event, ids of spans, and contextual events of the same thread that were\n"
     "under way when the event ended. If they are in another recording of the same\n"
     "process, use --context-from FILE.\n"
     "\n"
     "How a recording gets contexts:\n"
     "\n"
     "  From the program as it is. jfrkit record, attach and start record the keys\n"
     "  that it sets in MDC (slf4j, Log4j, JBoss Log Manager), and the spans and\n"
     "  baggage of OpenTelemetry, of its Java agent or its API:\n"
     "\n"
     "    jfrkit record -o app.jfr -- java -jar app.jar\n"
     "    jfrkit attach -d 30s --context-source otel+mdc=user+tenant 4711\n"
     "\n"
     "  Spring Boot, servlets: a filter with MDC.put(\"user\", request.getRemoteUser())\n"
     "  and MDC.clear() at its end is enough. Work that executors, CompletableFuture\n"
     "  or virtual threads do for the request has its user, too.\n"
     "\n"
     "  By your own code: ContextType in jfrkit.jar, or jfrkit_context.h in C.\n"
     "\n"
     "Then: jfrkit table --by user app.jfr\n"},
    {"time", "from",
     "Points in time, for --from and --to:\n"
     "\n"
     "  10s, 1h30m                     from the start of the recordings\n"
     "  -30s                           before their end; needs files, no pipe\n"
     "  50%                            of the whole; needs files, no pipe\n"
     "  09:34, 09:34:16.5              a clock time, in UTC or the zone of --tz\n"
     "  2026-11-20T09:34:16Z           also with +01:00; without a zone it needs --tz\n"
     "\n"
     "Durations have a unit: ns us ms s m h d, as in 20ms, 1.5s, 1h30m. An event\n"
     "matches if it ends at or after --from and begins before --to.\n"},
};

#define N_TOPICS (sizeof(topics) / sizeof(topics[0]))

static bool has_topic(const struct cli_command *command, size_t i)
{
    struct cli_found found;

    return cli_find(command, topics[i].option, strlen(topics[i].option), &found);
}

bool cli_print_topic(const struct cli_command *command, const char *name)
{
    for (size_t i = 0; i < N_TOPICS; i++)
        if (strcasecmp(topics[i].name, name) == 0 && has_topic(command, i)) {
            printf("%s", topics[i].text);
            return true;
        }
    return false;
}

void cli_print_topic_names(const struct cli_command *command)
{
    const char *before = "Syntax: --help=";

    for (size_t i = 0; i < N_TOPICS; i++)
        if (has_topic(command, i)) {
            printf("%s%s", before, topics[i].name);
            before = ", ";
        }
    if (before[0] == ',')
        printf(".\n");
}
