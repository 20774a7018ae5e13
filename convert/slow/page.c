/*
 * page.c - slow scopes as HTML: what they do that others do not, how long scopes take, and for each
 * of the slowest ones a picture of its time over its threads.
 *
 * It has no script and no style of its own: convert/page has both. Pictures are SVG that is
 * stretched to the width of the page, so texts stand beside them.
 */
#include "convert/slow/write.h"

#include "convert/text/html.h"
#include "jfrfmt/base/amount.h"

#include <inttypes.h>
#include <math.h>

#define WIDTH 1000.0 /* of all pictures, in units of their own */
#define SAMPLE_WIDTH 2.0
#define ROWS_MOST 50 /* tasks' threads of a scope */
#define BARS_MOST 63 /* of the picture of lengths */
#define SCALE_MARKS 5

static void page_text(struct buf *b, const char *text)
{
    html_text(b, text, strlen(text));
}

static void page_attribute(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, " %s=\"", name);
    html_attr(b, text, strlen(text));
    buf_byte(b, '"');
}

static void page_count(struct buf *b, const char *before, uint64_t n, const char *one,
                       const char *many)
{
    buf_printf(b, "%s%" PRIu64 " %s", before, n, n == 1 ? one : many);
}

void slow_put_short_name(struct buf *b, const struct slow *s, size_t i)
{
    const struct slow_scope *c = slow_scope(s, slow_slowest(s, i));

    buf_printf(b, "%zu. ", i + 1);
    amount_put_ns(b, c->end_ns - c->start_ns);
}

static void put_button(struct buf *b, const char *more, const char *text)
{
    buf_printf(b, "<button type=\"button\"%s>%s</button>\n", more, text);
}

/* --- pictures --- */

static void begin_picture(struct buf *b, const char *of, double height, const char *label)
{
    buf_printf(b,
               "<svg class=\"%s\" viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" role=\"img\"",
               of, WIDTH, height);
    page_attribute(b, "aria-label", label);
    buf_str(b, ">\n");
}

static void end_picture(struct buf *b)
{
    buf_str(b, "</svg>\n");
}

/* A box. end_box() names it; without a name it ends in "/>". */
static void begin_box(struct buf *b, const char *of, double x, double y, double width,
                      double height)
{
    buf_printf(b, "<rect class=\"%s\" x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%g\"", of, x, y,
               width, height);
}

static void end_box(struct buf *b, struct buf *title)
{
    buf_str(b, "><title>");
    if (buf_ok(title))
        html_text(b, (const char *)title->p, title->n);
    buf_str(b, "</title></rect>\n");
    buf_reset(title);
}

/* A scale below a picture: what its left edge, its quarters and its right edge stand for. */
static void put_scale(struct buf *b, const int64_t marks[SCALE_MARKS])
{
    buf_str(b, "<p class=\"scale\" aria-hidden=\"true\">");
    for (size_t i = 0; i < SCALE_MARKS; i++) {
        buf_str(b, "<span>");
        amount_put_ns(b, marks[i]);
        buf_str(b, "</span>");
    }
    buf_str(b, "</p>\n");
}

/* --- reasons --- */

static void put_reason_row(struct buf *b, const struct slow_reason *r)
{
    struct buf words = {0};

    buf_printf(b, "<tr><td class=\"number\">%.1f %%</td><td>", 100 * r->share);
    begin_picture(b, "bar", 1, "");
    begin_box(b, r->part == SLOW_PARTS ? "value" : slow_part_word(r->part), 0, 0, WIDTH * r->share,
              1);
    buf_str(b, "/>");
    end_picture(b);
    slow_put_reason(&words, r);
    buf_str(b, "</td><th scope=\"row\">");
    if (buf_ok(&words))
        html_text(b, (const char *)words.p, words.n);
    buf_str(b, "</th><td class=\"number\">");
    amount_put_ns(b, (int64_t)r->ns);
    buf_str(b, " ± ");
    amount_put_ns(b, (int64_t)r->error_ns);
    buf_printf(b, "</td><td class=\"number\">%.1f %%</td></tr>\n", 100 * slow_confidence(r));
    buf_free(&words);
}

static void put_reasons(struct buf *b, const struct slow *s)
{
    const struct slow_facts f = slow_facts(s);

    buf_str(b, "<section><h2>Why are they slow?</h2>\n");
    if (f.n_median_examined == 0) {
        buf_str(b, "<p>There are too few scopes to compare the slow ones with others.</p>\n");
    } else {
        page_count(b, "<p>", f.n_slow_examined, "slow scope takes ", "slow scopes take ");
        amount_put_ns(b, f.slow_mean_ns);
        buf_str(b, " on average, those around the median ");
        amount_put_ns(b, f.median_mean_ns);
        buf_str(b, ". What the slow ones do that the others do not:</p>\n");
    }
    if (slow_n_reasons(s) > 0) {
        buf_str(b, "<table class=\"reasons\"><thead><tr><th>Explains</th><th></th><th>Reason</th>"
                   "<th>Time of each</th><th>Sure</th></tr></thead><tbody>\n");
        for (size_t i = 0; i < slow_n_reasons(s); i++)
            put_reason_row(b, slow_reason(s, i));
        buf_str(b, "</tbody></table>\n");
    } else if (f.n_median_examined > 0) {
        buf_str(b, "<p>Nothing that was recorded explains it.</p>\n");
    }
    buf_str(b, "<p>");
    put_button(b, " data-a=\"" SLOW_DIM "=ordinary\" data-b=\"" SLOW_DIM "=slow\"",
               "Flame graph: slow against ordinary");
    put_button(b, " data-b=\"" SLOW_DIM "=slow\"", "Flame graph of the slow ones");
    buf_str(b, "</p>\n");
}

static void put_report_notes(struct buf *b, const struct slow *s, bool is_partial)
{
    char note[300];

    for (size_t i = 0; slow_note(s, i, note, sizeof(note)); i++) {
        buf_str(b, "<p class=\"note\">");
        page_text(b, note);
        buf_str(b, "</p>\n");
    }
    if (slow_facts(s).has_too_many_lines)
        buf_str(b, "<p class=\"note\">Some pictures below show only the first events.</p>\n");
    if (is_partial)
        buf_str(
            b, "<p class=\"note\">The recording is large: of its samples this page has those of "
               "the scopes that are compared. With --from and --to it has all of that time.</p>\n");
    buf_str(b, "</section>\n");
}

/* --- lengths --- */

/* Which buckets have scopes; false: none. */
static bool used_buckets(const struct slow *s, size_t *first, size_t *last)
{
    *first = SLOW_BUCKETS;
    for (size_t i = 0; i < SLOW_BUCKETS; i++)
        if (slow_bucket(s, i).n > 0) {
            *first = *first == SLOW_BUCKETS ? i : *first;
            *last = i;
        }
    return *first < SLOW_BUCKETS;
}

static struct slow_bucket sum_of_buckets(const struct slow *s, size_t from, size_t n)
{
    struct slow_bucket sum = {0};

    for (size_t i = from; i < from + n && i < SLOW_BUCKETS; i++) {
        sum.n += slow_bucket(s, i).n;
        sum.n_slow += slow_bucket(s, i).n_slow;
    }
    return sum;
}

static void put_length_bar(struct buf *b, const char *of, double x, double width, double y,
                           double height, const struct slow_bucket *sum, size_t from, size_t to)
{
    struct buf title = {0};

    amount_put_ns(&title, slow_bucket_from(from));
    buf_str(&title, " to ");
    amount_put_ns(&title, slow_bucket_from(to));
    page_count(&title, ": ", sum->n, "scope", "scopes");
    if (sum->n_slow > 0)
        page_count(&title, ", ", sum->n_slow, "of them slow", "of them slow");
    begin_box(b, of, x, y, width, height);
    end_box(b, &title);
    buf_free(&title);
}

/* How many scopes take how long: a bar for each length, the part of the slow ones in their colour.
 * Few are slow, so heights are square roots. */
static void put_lengths(struct buf *b, const struct slow *s)
{
    size_t first, last = 0, step = 1, n_bars;
    const double height = 100;
    double most = 0;
    int64_t marks[SCALE_MARKS];

    if (!used_buckets(s, &first, &last))
        return;
    while ((last - first) / step + 1 > BARS_MOST)
        step++;
    n_bars = (last - first) / step + 1;
    for (size_t i = first; i <= last; i += step)
        most = (double)sum_of_buckets(s, i, step).n > most ? (double)sum_of_buckets(s, i, step).n
                                                           : most;
    begin_picture(b, "lengths", height, "How many scopes take how long");
    for (size_t i = first; i <= last; i += step) {
        const struct slow_bucket sum = sum_of_buckets(s, i, step);
        size_t n_before = (i - first) / step;
        double all = height * sqrt((double)sum.n / most);
        double slow = sum.n == 0 ? 0 : all * (double)sum.n_slow / (double)sum.n;
        double width = WIDTH / (double)n_bars, x = (double)n_before * width;
        size_t to = i + step < SLOW_BUCKETS - 4 ? i + step : SLOW_BUCKETS - 4;

        if (sum.n > sum.n_slow)
            put_length_bar(b, "ordinary", x, 0.9 * width, height - all, all - slow, &sum, i, to);
        if (sum.n_slow > 0)
            put_length_bar(b, "slow", x, 0.9 * width, height - slow, slow, &sum, i, to);
    }
    end_picture(b);
    for (size_t i = 0; i < SCALE_MARKS; i++) {
        size_t at = first + (last + 1 - first) * i / (SCALE_MARKS - 1);

        marks[i] = slow_bucket_from(at < SLOW_BUCKETS - 4 ? at : SLOW_BUCKETS - 4);
    }
    put_scale(b, marks);
}

static const char *page_key(const struct slow *s)
{
    const char *key = slow_facts(s).key;

    return key == NULL ? "scopes" : key;
}

static void put_key_value(struct buf *b, const struct slow *s, uint32_t key)
{
    page_text(b, key == 0 ? "(all)" : slow_key_text(s, key));
}

static void put_group_rows(struct buf *b, const struct slow *s, size_t most)
{
    size_t n = slow_n_groups(s);

    buf_str(b, "<table class=\"groups\"><thead><tr><th>");
    page_text(b, page_key(s));
    buf_str(b,
            "</th><th>Count</th><th>p50</th><th>p90</th><th>p99</th><th>Max</th><th>Slow</th></tr>"
            "</thead><tbody>\n");
    for (size_t i = 0; i < n && i < most; i++) {
        const struct slow_group *g = slow_group(s, i);
        const int64_t times[] = {g->p50_ns, g->p90_ns, g->p99_ns, g->max_ns};

        buf_str(b, "<tr><th scope=\"row\">");
        put_key_value(b, s, g->key);
        buf_printf(b, "</th><td class=\"number\">%" PRIu64 "</td>", g->n);
        for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
            buf_str(b, "<td class=\"number\">");
            amount_put_ns(b, times[k]);
            buf_str(b, "</td>");
        }
        buf_printf(b, "<td class=\"number\">%" PRIu64 "</td></tr>\n", g->n_slow);
    }
    buf_str(b, "</tbody></table>\n");
    if (n > most)
        buf_printf(b, "<p class=\"note\">and %zu more, with less time</p>\n", n - most);
}

/* --- the slowest --- */

/* The parts of a scope beside each other, as long as they take. */
static void put_split(struct buf *b, const struct slow_scope *c)
{
    double whole = (double)(c->end_ns - c->start_ns), x = 0;
    struct buf title = {0};

    begin_picture(b, "split", 1, "Where the time went");
    for (int i = 0; i < SLOW_PARTS && whole > 0; i++) {
        double width = WIDTH * (double)c->parts[i] / whole;

        if (c->parts[i] <= 0)
            continue;
        buf_printf(&title, "%s ", slow_part_name((enum slow_part)i));
        amount_put_ns(&title, c->parts[i]);
        begin_box(b, slow_part_word((enum slow_part)i), x, 0, width, 1);
        end_box(b, &title);
        x += width;
    }
    end_picture(b);
    buf_free(&title);
}

static void put_part_item(struct buf *b, const char *word, const char *name, int64_t ns,
                          int64_t error)
{
    if (ns <= 0)
        return;
    buf_printf(b, "<li><i class=\"%s\"></i>%s ", word, name);
    amount_put_ns(b, ns);
    if (error > 0) {
        buf_str(b, " ± ");
        amount_put_ns(b, error);
    }
    buf_str(b, "</li>\n");
}

static void put_amount_item(struct buf *b, const char *name, int64_t amount,
                            void (*put)(struct buf *b, int64_t amount))
{
    if (amount <= 0)
        return;
    buf_printf(b, "<li>%s ", name);
    put(b, amount);
    buf_str(b, "</li>\n");
}

static void put_parts_list(struct buf *b, const struct slow_scope *c)
{
    buf_str(b, "<ul class=\"parts\">\n");
    for (int i = 0; i < SLOW_PARTS; i++)
        put_part_item(b, slow_part_word((enum slow_part)i),
                      i == SLOW_UNKNOWN && c->n_samples == 0 ? "running or unknown"
                                                             : slow_part_name((enum slow_part)i),
                      c->parts[i], c->error[i]);
    put_amount_item(b, "CPU", c->cpu_ns, amount_put_ns);
    put_amount_item(b, "allocated", c->alloc_bytes, amount_put_bytes);
    put_amount_item(b, "I/O", c->io_bytes, amount_put_bytes);
    if (c->elsewhere.n > 0)
        page_count(b, "<li>", c->elsewhere.n, "task on another thread</li>\n",
                   "tasks on other threads</li>\n");
    put_amount_item(b, "their CPU", c->elsewhere.cpu_ns, amount_put_ns);
    put_amount_item(b, "their waits", c->elsewhere.waits_ns, amount_put_ns);
    buf_str(b, "</ul>\n");
}

static bool is_sample_line(const struct slow_line *l)
{
    return l->start_ns == l->end_ns;
}

/* A stretch as a box over the whole height of its row; samples in a strip below. */
static void put_line_box(struct buf *b, const struct slow_scope *c, const struct slow_line *l)
{
    double scale = WIDTH / (double)(c->end_ns - c->start_ns);
    double x = (double)(l->start_ns - c->start_ns) * scale;
    double width = (double)(l->end_ns - l->start_ns) * scale;
    struct buf title = {0};

    buf_printf(&title, "%s%s",
               is_sample_line(l) ? l->is_cpu ? "CPU sample: " : "wall-clock sample: " : "",
               slow_part_name(l->part));
    if (*l->what != '\0')
        buf_printf(&title, " %s", l->what);
    if (*l->where != '\0')
        buf_printf(&title, ", in %s", l->where);
    if (!is_sample_line(l)) {
        buf_str(&title, ", ");
        amount_put_ns(&title, l->end_ns - l->start_ns);
    }
    buf_str(&title, ", after ");
    amount_put_ns(&title, l->start_ns - c->start_ns);
    if (is_sample_line(l))
        begin_box(b, slow_part_word(l->part), x, l->is_cpu ? 23 : 19, SAMPLE_WIDTH, 3);
    else
        begin_box(b, slow_part_word(l->part), x, 0, width < 1 ? 1 : width, 16);
    end_box(b, &title);
    buf_free(&title);
}

/* A row: the name of a thread, and its time. The caller puts boxes and ends the picture. */
static void begin_row(struct buf *b, const char *thread)
{
    buf_str(b, "<p class=\"thread\">");
    page_text(b, thread);
    buf_str(b, "</p>\n");
    begin_picture(b, "line", 26, thread);
}

/* Is a value, "user=alice", one of this key? */
static bool is_value_of(const char *value, const char *key)
{
    size_t n = strlen(key);

    return strncmp(value, key, n) == 0 && value[n] == '=';
}

static const char *thread_of_scope(const struct slow *s, size_t scope)
{
    const char *value;

    for (size_t k = 0; (value = slow_scope_value(s, scope, k)) != NULL; k++)
        if (is_value_of(value, "thread"))
            return value + strlen("thread=");
    return "its thread";
}

static void put_own_row(struct buf *b, const struct slow *s, size_t i)
{
    const struct slow_scope *c = slow_scope(s, slow_slowest(s, i));
    struct slow_line l;

    begin_row(b, thread_of_scope(s, slow_slowest(s, i)));
    buf_printf(b, "<rect class=\"rest\" x=\"0\" y=\"0\" width=\"%g\" height=\"16\"/>\n", WIDTH);
    for (size_t k = 0; slow_line(s, i, k, &l) && !l.is_task; k++)
        put_line_box(b, c, &l);
    end_picture(b);
}

/* The name of a thread that has tasks of the scope. */
static const char *thread_of_task(const struct slow *s, size_t i, uint32_t thread)
{
    struct slow_line l;

    for (size_t k = 0; slow_line(s, i, k, &l); k++)
        if (l.is_task && l.thread == thread && *l.name != '\0')
            return l.name;
    return "another thread";
}

static void put_task_box(struct buf *b, const struct slow_scope *c, const struct slow_task *task)
{
    double scale = WIDTH / (double)(c->end_ns - c->start_ns);
    double x = (double)(task->start_ns - c->start_ns) * scale;
    double width = (double)(task->end_ns - task->start_ns) * scale;
    struct buf title = {0};

    buf_str(&title, "task, ");
    amount_put_ns(&title, task->end_ns - task->start_ns);
    buf_str(&title, ", after ");
    amount_put_ns(&title, task->start_ns - c->start_ns);
    begin_box(b, "rest", x, 0, width < 1 ? 1 : width, 16);
    end_box(b, &title);
    buf_free(&title);
}

static void put_task_rows(struct buf *b, const struct slow *s, size_t i)
{
    const struct slow_scope *c = slow_scope(s, slow_slowest(s, i));
    struct slow_task task;
    size_t at = 0, rows = 0;
    uint32_t thread = SCOPES_NONE;
    bool is_cut = false;

    while (slow_next_task(s, i, &at, &task)) {
        struct slow_line l;
        bool is_new = task.thread != thread;

        is_cut = is_new && rows == ROWS_MOST;
        if (is_cut)
            break;
        if (is_new && rows > 0)
            end_picture(b);
        if (is_new) {
            begin_row(b, thread_of_task(s, i, task.thread));
            rows++;
        }
        thread = task.thread;
        put_task_box(b, c, &task);
        for (size_t k = 0; slow_line(s, i, k, &l); k++)
            if (l.is_task && l.thread == thread && l.start_ns >= task.start_ns &&
                l.start_ns < task.end_ns)
                put_line_box(b, c, &l);
    }
    if (rows > 0)
        end_picture(b);
    if (is_cut)
        buf_printf(b, "<p class=\"note\">Tasks of more than %d threads are not shown.</p>\n",
                   ROWS_MOST);
}

static void put_scope_buttons(struct buf *b, const struct slow *s, size_t i, bool is_partial)
{
    const struct slow_scope *c = slow_scope(s, slow_slowest(s, i));
    struct buf more = {0};

    buf_str(&more, " data-b=\"" SLOWEST_DIM "=");
    slow_put_short_name(&more, s, i);
    buf_str(&more, "\"");
    buf_byte(&more, 0);
    buf_str(b, "<p>");
    put_button(b, buf_ok(&more) ? (const char *)more.p : "", "Its stacks");
    buf_reset(&more);
    buf_printf(&more, " data-from=\"%.3f\" data-to=\"%.3f\"", (double)c->start_ns / 1e6,
               (double)c->end_ns / 1e6);
    buf_byte(&more, 0);
    if (!is_partial)
        put_button(b, buf_ok(&more) ? (const char *)more.p : "", "All threads meanwhile");
    buf_str(b, "</p>\n");
    buf_free(&more);
}

static void put_slow_scope(struct buf *b, const struct slow *s, size_t i, bool is_partial)
{
    size_t scope = slow_slowest(s, i);
    const struct slow_scope *c = slow_scope(s, scope);
    int64_t marks[SCALE_MARKS];
    const char *value;

    buf_printf(b, "<details%s><summary><b>", i == 0 ? " open" : "");
    amount_put_ns(b, c->end_ns - c->start_ns);
    buf_str(b, "</b><span>");
    put_key_value(b, s, c->group);
    buf_str(b, "</span>\n");
    put_split(b, c);
    buf_str(b, "<small>");
    for (size_t k = 0; (value = slow_scope_value(s, scope, k)) != NULL; k++)
        if (!is_value_of(value, page_key(s)) && !is_value_of(value, "thread")) {
            page_text(b, value);
            buf_byte(b, ' ');
        }
    buf_str(b, "</small></summary>\n<div>\n");
    put_parts_list(b, c);
    if (c->end_ns > c->start_ns) {
        put_own_row(b, s, i);
        put_task_rows(b, s, i);
        for (int k = 0; k < SCALE_MARKS; k++)
            marks[k] = (c->end_ns - c->start_ns) / (SCALE_MARKS - 1) * k;
        put_scale(b, marks);
    }
    put_scope_buttons(b, s, i, is_partial);
    buf_str(b, "</div></details>\n");
}

int slow_write_page(const struct slow *s, const struct slow_page_options *options, struct buf *b)
{
    const struct slow_facts f = slow_facts(s);

    put_reasons(b, s);
    put_report_notes(b, s, options->is_partial);
    buf_str(b, "<section><h2>How long do they take?</h2>\n");
    page_count(b, "<p>", f.n_scopes, "scope, ", "scopes, ");
    page_count(b, "", f.n_slow, "is slow.", "are slow.");
    buf_str(b, " The bars show how many take how long; their heights are square roots.</p>\n");
    put_lengths(b, s);
    put_group_rows(b, s, options->n_groups);
    buf_str(b, "</section>\n<section><h2>The slowest</h2>\n");
    for (size_t i = 0; i < slow_n_slowest(s); i++)
        put_slow_scope(b, s, i, options->is_partial);
    buf_str(b, "</section>\n");
    return buf_ok(b) ? 0 : JFR_E_NOMEM;
}
