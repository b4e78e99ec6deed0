/* What can be said of a robot file before it is read. */
#include "model/import.h"

#include <string.h>

const char *const vg_import_verdicts[] = {"used", "changed", "ignored"};

int vg_import_is_robot(const char *text, size_t n)
{
    if (n >= 4 && (memcmp(text, "\xFF\xFE<", 4) == 0 || memcmp(text, "\xFE\xFF\0<", 4) == 0))
        return 1; /* UTF-16 */
    size_t i = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < n && strchr(" \t\r\n", text[i]) && text[i]) i++;
    return i < n && text[i] == '<';
}
