#include <stdlib.h>

#include "base/h5/inflate.h"
#include "io/view/view_page.h"

char *vg_page_unpack(const vgPage *page)
{
    unsigned char *text = malloc(page->size + 1);
    if (text && !vg_inflate(page->packed, page->npacked, text, page->size)) {
        free(text); /* not by what is built in */
        return NULL;
    }
    if (text) text[page->size] = 0;
    return (char *)text;
}
