/* Which names are secret, and what is left of a command line. */
#include "recorder/base/redact.h"

#include "jfrfmt/test/testing.h"

#include <stdlib.h>

/* clang-format off */
struct name {
    const char *name;
    bool is_secret;
};

static const struct name names[] = {
    {"password", true}, {"PASSWORD", true}, {"db.password", true}, {"DB_PASSWORD", true}, {"dbPassword", true}, {"mypasswords", true},
    {"javax.net.ssl.keyStorePassword", true}, {"javax.net.ssl.keyStore", true}, {"AWS_SECRET_ACCESS_KEY", true}, {"GITHUB_TOKEN", true},
    {"apiKey", true}, {"API-KEY", true}, {"x.auth", true}, {"credentials", true}, {"userPwd", true}, {"sessionId", true}, {"keys", true},
    {"java.home", false}, {"java.class.path", false}, {"PATH", false}, {"user.name", false}, {"keyboard", false}, {"monkey", false},
    {"sun.arch.data.model", false}, {"HOSTNAME", false}, {"passenger.count", false}, {"author", false}, {"compass", false},
    {"java.vm.compressedOopsMode", false}, {"SSH_AUTH_SOCK", false}, {"", false}, {"_", false}, {"spinning", false},
};

static void is_told(void **state)
{
    const struct name *n = *state;

    assert_int_equal(redact_is_secret(n->name), n->is_secret);
}

struct row {
    const char *name;
    const char *line, *want;
};

#define R REDACTED

static const struct row rows[] = {
    {"nothing", "", ""},
    {"blanks stay", "  a \t b\n", "  a \t b\n"},
    {"nothing secret", "java -Xmx1g -Da=b Main x=y", "java -Xmx1g -Da=b Main x=y"},
    {"a property", "-Ddb.password=abc -Dx=1", "-Ddb.password=" R " -Dx=1"},
    {"a property of one word", "-Dkey=abc", "-Dkey=" R},
    {"a value with commas and equals signs", "-Dpassword=a,b=c;d", "-Dpassword=" R},
    {"an empty value", "-Dpassword= x", "-Dpassword=" R " x"},
    {"an option with its value", "--token=abc --user=me", "--token=" R " --user=me"},
    {"an option and its value", "--token abc next", "--token " R " next"},
    {"an option without a value", "--token --user me", "--token --user me"},
    {"a short option and its value", "-password abc", "-password " R},
    {"an argument", "password=abc", "password=" R},
    {"options of an agent", "-javaagent:/a.jar=url=x,apiKey=abc,b=c", "-javaagent:/a.jar=url=x,apiKey=" R ",b=c"},
    {"a URL", "jdbc:x://me:abc@host/db", "jdbc:x://me:" R "@host/db"},
    {"a URL in a property", "-Durl=http://me:a:b@host:80/x?y=z", "-Durl=http://me:" R "@host:80/x?y=z"},
    {"a password with @", "http://me:a@b@host/", "http://me:" R "@host/"},
    {"a URL without a password", "http://me@host:80/a:b@c", "http://me@host:80/a:b@c"},
    {"a parameter of a URL", "http://host/?a=b&token=abc&c=d", "http://host/?a=b&token=" R "&c=d"},
    {"a second secret", "-Dpassword=a -Dtoken=b", "-Dpassword=" R " -Dtoken=" R},
    {"at the end", "--secret", "--secret"},
    {"many equals signs", "a=b=c=d=token=e", "a=b=c=d=token=" R},
};
/* clang-format on */

static void is_left(void **state)
{
    const struct row *r = *state;
    struct guarded g = guarded_copy(r->line, strlen(r->line) + 1, 0);
    char *got = redact_command((const char *)g.bytes);

    assert_string_equal(got, r->want);
    free(got);
    guarded_free(&g);
}

/* Every word may become longer: there is room for all of them. */
static void there_is_room(void **state)
{
    char line[4001];
    char *got;

    (void)state;
    for (size_t i = 0; i < 4000; i++)
        line[i] = "key= "[i % 5];
    line[4000] = '\0';
    got = redact_command(line);
    assert_int_equal(strlen(got), 800 * (5 + strlen(R)));
    free(got);
    for (size_t i = 0; i < 4000; i++)
        line[i] = "a://:@"[i % 6];
    got = redact_command(line);
    assert_non_null(got);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_room)};

    return run_rows("redact: names", names, is_told) | run_rows("redact: lines", rows, is_left) |
           cmocka_run_group_tests(tests, NULL, NULL);
}
