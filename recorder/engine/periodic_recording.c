/*
 * periodic_recording.c - events about the recording itself: jdk.ActiveRecording and
 * jdk.ActiveSetting.
 *
 * periodic.c calls these functions on the drain thread, at the beginning of each chunk.
 */
#include "recorder/engine/periodic.h"

#include "recorder/settings/options.h"
#include "recorder/settings/settings.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_MS 1000000
#define FLUSH_MS 1000
#define RECORDING_NAME "jfrkit-%lld"

/* Milliseconds; INT64_MAX if there is no limit. */
static int64_t ms_of(int64_t ns)
{
    return ns == REC_UNSET || ns <= 0 ? INT64_MAX : ns / NS_PER_MS;
}

void periodic_active_recording(struct periodic *p)
{
    const struct recording *r = p->r;
    char name[64];

    if (!settings_of(r->settings, EV_ACTIVE_RECORDING)->is_enabled)
        return;
    snprintf(name, sizeof(name), RECORDING_NAME, (long long)r->id);
    periodic_begin(p, EV_ACTIVE_RECORDING);
    jfr_put_long(p->w, r->id);
    jfr_put_string(p->w, name);
    periodic_text(p, r->file);
    jfr_put_boolean(p->w, true);
    jfr_put_long(p->w, ms_of(r->options->max_age));
    jfr_put_long(p->w, FLUSH_MS);
    jfr_put_long(p->w, r->options->max_size > 0 ? r->options->max_size : 0);
    jfr_put_long(p->w, r->start_nanos / NS_PER_MS);
    jfr_put_long(p->w, ms_of(r->options->duration));
    periodic_end(p);
}

static void write_setting(struct periodic *p, enum event e, const char *name)
{
    const char *value = settings_get(p->r->settings, jdk_type(e)->name, name);

    if (value == NULL)
        return;
    periodic_begin(p, EV_ACTIVE_SETTING);
    jfr_put_long(p->w, p->r->types[e]);
    jfr_put_string(p->w, name);
    jfr_put_string(p->w, value);
    periodic_end(p);
}

/* Has the configuration a setting of this event? */
static bool is_mentioned(const struct settings *s, enum event e)
{
    size_t n;
    const struct settings_row *rows = settings_rows(s, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].event, jdk_type(e)->name) == 0)
            return true;
    return false;
}

/* Writes all settings, defaults included, of each event that is enabled or has a setting. The
 * others are off and need no types in the file. */
void periodic_active_settings(struct periodic *p)
{
    if (!settings_of(p->r->settings, EV_ACTIVE_SETTING)->is_enabled)
        return;
    for (int e = 0; e < EV_N; e++) {
        const struct jfr_type_def *type = jdk_type((enum event)e);

        if (!settings_of(p->r->settings, (enum event)e)->is_enabled &&
            !is_mentioned(p->r->settings, (enum event)e))
            continue;
        for (size_t i = 0; i < type->n_settings; i++)
            write_setting(p, (enum event)e, type->settings[i].name);
        write_setting(p, (enum event)e, "withContext");
    }
    write_setting(p, EV_EXECUTION_SAMPLE, "walker");
    write_setting(p, EV_EXECUTION_SAMPLE, "walkerWhy");
}
