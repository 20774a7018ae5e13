/* jfr2flame - a flame-graph page from recordings. */
#include "tools/output/flame.h"
#include "tools/programs.h"

int jfr2flame_main(int argc, char **argv)
{
    return cli_flame_main(argc, argv);
}
