/* jfrec - the recorder's command: starts programs with the agent, and talks to it in JVMs that run.
 */
#include "tools/rec/rec.h"
#include "tools/rec/result.h"
#include "tools/programs.h"

#include <string.h>

/* clang-format off */
static const struct cli_table tables[] = {
    {&rec_what_set, .title = "Recording"}, {&rec_engines_set, .title = "Engines"},
    {&rec_limits_set, .title = "Limits"}, {&rec_children_set, .title = "Programs"},
    {&rec_push_set, .title = "Sending"},
    {&rec_result_set, .title = "Result"}, {&rec_target_set, .title = "JVMs"}, {&rec_agent_set, .title = "Agent"},
    {&rec_reply_set, .title = "Output"}, {0},
};
/* clang-format on */

static const struct cli_command command = {
    .name = "jfrec",
    .usage = "COMMAND [options] [operands]",
    .about = "Record Java programs.\n"
             "\n"
             "  record [options] -- PROGRAM   run a program and record the JVMs that it starts\n"
             "  start [options] JVM           begin a recording in a running JVM\n"
             "  status JVM                    print what the recording has got so far\n"
             "  dump -o FILE JVM              write the recording so far, and keep recording\n"
             "  stop JVM                      end the recording\n"
             "  list                          JVMs with pid, user, version and main class\n"
             "  settings FILE...              print what .jfc files add up to\n"
             "\n"
             "JVM is a process id, its main class or jar, or a word of these that is unique.",
    .tables = tables,
    .examples = "  jfrkit record -o app.jfr -- java -jar app.jar\n"
                "  jfrkit start -d 60s --cpu 1ms 4711\n",
    .notes = "'jfrec COMMAND --help' shows the options of one. Exit: 0 ok, 1 failed, 2 usage;\n"
             "record: that of the program.\n",
};

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"record", rec_record}, {"start", rec_start}, {"status", rec_status},     {"dump", rec_dump},
    {"stop", rec_stop},     {"list", rec_list},   {"settings", rec_settings},
};

int jfrec_main(int argc, char **argv)
{
    struct rec_args args = {0};
    struct cli_list operands = {0};
    int rc;

    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    rc = argc > 1 && argv[1][0] == '-' ? cli_parse(&command, argc, argv, &args, &operands) : -1;
    if (rc >= 0)
        return rc;
    rc = argc == 1
             ? cli_usage(&command, "which command? For example: jfrec record -- java -jar app.jar")
         : argv[1][0] == '-'
             ? cli_usage(&command, "the command comes first: jfrec record %s", argv[1])
             : cli_usage(&command, "no command '%s'; see jfrec --help", argv[1]);
    cli_free(&command, &args, &operands);
    return rc;
}
