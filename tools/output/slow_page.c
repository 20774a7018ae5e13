/*
 * slow_page.c - writes the page of slow scopes: convert/slow makes the report, convert/flame the
 * page around it. What joins them are two dimensions of the samples: "scope" and "slowest".
 */
#include "tools/output/slow_page.h"

#include "convert/flame/flame.h"
#include "convert/profile/tree.h"
#include "tools/output/page_title.h"

#define EVENTS_MOST 5000000 /* of a recording of which the page has all samples */

static uint32_t place_of_sample(void *shared, struct scope_threads *threads,
                                const struct jfr_class *cls, uint64_t key, int64_t ns)
{
    const struct slow_page *page = shared;

    return slow_place(page->slow, threads, cls, key, ns);
}

/* One place is requested at a time. */
static const char *text_of_place(void *shared, uint32_t place, size_t dim)
{
    struct slow_page *page = shared;
    struct buf b = buf_fixed((uint8_t *)page->text, sizeof(page->text) - 1);

    if (dim == 0)
        return place == PLACE_MEDIAN ? "ordinary" : "slow";
    if (place < PLACE_SLOWEST)
        return NULL;
    slow_put_short_name(&b, page->slow, place - PLACE_SLOWEST);
    page->text[b.n] = '\0';
    return page->text;
}

/* Samples are wanted from the same time as scopes; other filters choose scopes. */
static int select_samples(struct slow_page *page, const struct cli_command *command,
                          const struct cli_select_options *filters)
{
    const struct cli_select_options times = {.from = filters->from,
                                             .to = filters->to,
                                             .zone = filters->zone,
                                             .tail = filters->tail,
                                             .all_keys = true};

    return cli_select(command, &times, page->files, &page->select);
}

/* Are there too many events for a page with all samples of the time that is wanted? */
static bool has_too_many_events(const struct slow_page *page)
{
    const struct slow_facts f = slow_facts(page->slow);
    int64_t first = f.first_ns, last = f.last_ns;

    if (f.n_events <= EVENTS_MOST)
        return false;
    select_clip(page->select, &first, &last);
    return (double)f.n_events * (double)(last - first) >
           EVENTS_MOST * (double)(f.last_ns - f.first_ns);
}

static void set_places(struct slow_page *page)
{
    static const char *const names[] = {SLOW_DIM, SLOWEST_DIM};
    const struct facets_places places = {.names = names,
                                         .n = sizeof(names) / sizeof(names[0]),
                                         .is_only = page->is_partial,
                                         .shared = page,
                                         .find = place_of_sample,
                                         .text = text_of_place};

    facets_set_places(page->facets, &places);
}

int slow_page_open(struct slow_page *page, const struct cli_command *command, struct slow *slow,
                   const struct cli_select_options *filters, const struct cli_list *files)
{
    struct profile_options options = {.kind = -1, .names = {.style = NAME_DOT}};
    int rc;

    *page = (struct slow_page){.slow = slow, .files = files};
    rc = select_samples(page, command, filters);
    if (rc != 0)
        return rc;
    page->is_partial = has_too_many_events(page);
    page->facets = facets_new();
    if (page->facets == NULL)
        return cli_no_memory(command);
    set_places(page);
    facets_split_rest(page->facets);
    options.select = page->select;
    options.facets = page->facets;
    page->profile = profile_new(&options);
    if (page->profile == NULL)
        return cli_no_memory(command);
    page->jobs[0] = slow_job(slow);
    page->jobs[1] = profile_job(page->profile);
    page->list = (struct job_list){page->jobs, 2};
    return 0;
}

void slow_page_close(struct slow_page *page)
{
    profile_free(page->profile);
    facets_free(page->facets);
    select_free(page->select);
}

struct run_job slow_page_job(struct slow_page *page)
{
    return job_list_job(&page->list);
}

static int write_around(struct slow_page *page, const struct buf *report, struct out *out)
{
    struct flame_options options = {.report = report,
                                    .facets = page->facets,
                                    .facet_kind = slow_facts(page->slow).has_wall ? KIND_WALL : -1,
                                    .is_weight_of_kind = true,
                                    .facet_max = 5000};
    const struct profile_facts facts = profile_facts(page->profile);
    struct tree tree = {0};
    struct buf title = {0};
    char when[100];
    int rc = profile_tree(page->profile, &tree);

    if (rc == 0)
        rc = facets_finish(page->facets, page->profile, &tree);
    buf_str(&title, "Slow requests of ");
    page_title_put(page->files->items[0], page->files->n, &title);
    page_subtitle(&facts, when, sizeof(when));
    options.subtitle = when;
    options.title = (const char *)title.p;
    if (rc == 0)
        rc = buf_ok(&title) ? flame_write(&tree, &options, out) : JFR_E_NOMEM;
    tree_free(&tree);
    buf_free(&title);
    return rc;
}

int slow_page_write(struct slow_page *page, const struct slow_text_options *options,
                    struct out *out)
{
    struct buf report = {0};
    const struct slow_page_options how = {.n_groups = options->n_groups,
                                          .is_partial = page->is_partial};
    int rc = slow_write_page(page->slow, &how, &report);

    if (rc == 0)
        rc = profile_finish(page->profile);
    if (rc == 0)
        rc = write_around(page, &report, out);
    buf_free(&report);
    return rc;
}
