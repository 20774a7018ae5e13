/* active_setting.c - writes a jdk.ActiveSetting event. Engines and contexts call it for event types
 * that are not the JDK's. */
#include "recorder/events/active_setting.h"

#include "recorder/settings/settings.h"

void active_setting(struct recording *r, int64_t type, const char *name, const char *value)
{
    struct jfr_writer *w = r->writer;

    if (!settings_of(r->settings, EV_ACTIVE_SETTING)->is_enabled)
        return;
    jfr_event_begin(w, r->types[EV_ACTIVE_SETTING], jfr_writer_now());
    jfr_put_long(w, type);
    jfr_put_string(w, name);
    jfr_put_string(w, value);
    jfr_event_end_repeated(w);
}
