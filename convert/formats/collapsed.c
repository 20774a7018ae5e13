#include "convert/formats/collapsed.h"

#include "convert/formats/format.h"
#include "convert/text/jsonw.h"
#include "convert/profile/stackset.h"

int collapsed_write(const struct profile *p, struct out *out)
{
    for (size_t i = 0; i < profile_n(p); i++) {
        struct profile_row row = profile_row(p, i);
        uint32_t n = profile_path_n(&row);
        int rc;

        for (uint32_t k = 0; k < n; k++) {
            size_t len;
            const char *text = profile_name(p, frame_name_id(profile_path_frame(&row, k)), &len);

            if (k > 0)
                buf_byte(&out->b, ';');
            buf_bytes(&out->b, text, len);
        }
        if (n == 0)
            buf_str(&out->b, "[no frames]");
        buf_byte(&out->b, ' ');
        jsonw_u64(&out->b, row.weight);
        buf_byte(&out->b, '\n');
        rc = out_check(out);
        if (rc != 0)
            return rc;
    }
    return 0;
}

const struct format format_collapsed = {
    .name = "collapsed", .suffix = ".txt", .profile = collapsed_write};
