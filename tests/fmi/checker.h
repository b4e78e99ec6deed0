/* A small environment for FMUs, written for the tests alone: unpacks an FMU, loads its library by the names of the
 * standard, finds variables by their names in modelDescription.xml, and keeps what is logged. */
#ifndef VERGE_TESTS_FMI_CHECKER_H
#define VERGE_TESTS_FMI_CHECKER_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fmi/fmi2.h"
#include "base/fmi/fmi3.h"
#include "base/zip/zip.h"
#include "temporary.h"
#include "test.h"

#define FIELD(result, name, args) result(*name) args;
typedef struct Table2 {
    VG_FMI2_LIST(FIELD)
} Table2;
typedef struct Table3 {
    VG_FMI3_LIST(FIELD)
    VG_FMI3_TYPES(FIELD)
    VG_FMI3_ABSENT(FIELD)
} Table3;
#define NAME(result, name, args) #name,
static const char *const names2[] = {VG_FMI2_LIST(NAME) NULL};
static const char *const names3[] = {VG_FMI3_LIST(NAME) VG_FMI3_TYPES(NAME) VG_FMI3_ABSENT(NAME) NULL};

enum { LOG = 4000, LINE = 3000 };

typedef struct Fmu {
    char folder[TEMPORARY_PATH], resources[TEMPORARY_PATH + 40], token[100],
        library_path[TEMPORARY_PATH + 300];
    char *xml;
    void *library;
    Table2 two;
    Table3 three;
} Fmu;

static char fmu_log[LOG]; /* the last message of any instance */
static int fmu_logs;

__attribute__((format(printf, 5, 6))) static void fmu_log2(void *environment, const char *instance,
                                                           vgFmi2Status status, const char *category,
                                                           const char *message, ...)
{
    va_list args;
    (void)environment, (void)status;
    CHECK(instance && category && message);
    va_start(args, message);
    vsnprintf(fmu_log, sizeof fmu_log, message, args);
    va_end(args);
    fmu_logs++;
}

static inline void fmu_log3(void *environment, vgFmi3Status status, const char *category, const char *message)
{
    (void)environment, (void)status;
    CHECK(category && message);
    snprintf(fmu_log, sizeof fmu_log, "%s", message);
    fmu_logs++;
}

static const vgFmi2Callbacks callbacks2 = {.logger = fmu_log2};

/* Runs the program on words; its exit code. */
__attribute__((format(printf, 1, 2))) static int verge(const char *format, ...)
{
    char line[LINE], words[LINE - 300];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    snprintf(line, sizeof line, "'%s/verge' %s >/dev/null 2>&1", VERGE_BUILD_DIR, words);
    int code = system(line);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static inline void fmu_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, strlen(text), f) == strlen(text));
    if (f) fclose(f);
}

/* An attribute of the first element behind `at`: its value into out. */
static inline int fmu_attribute(const char *at, const char *name, char *out, size_t size)
{
    char mark[60];
    snprintf(mark, sizeof mark, " %s=\"", name);
    const char *from = strstr(at, mark), *end = strchr(at, '>');
    if (!from || (end && from > end && strncmp(end, "><Real", 6) != 0)) return 0;
    from += strlen(mark);
    snprintf(out, size, "%.*s", (int)strcspn(from, "\""), from);
    return 1;
}

static inline const char *fmu_variable(const Fmu *f, const char *name)
{
    char mark[200];
    snprintf(mark, sizeof mark, " name=\"%s\" valueReference", name);
    const char *at = strstr(f->xml, mark);
    CHECK(at != NULL);
    return at ? at : "";
}

static inline unsigned fmu_ref(const Fmu *f, const char *name)
{
    char text[30] = "";
    CHECK(fmu_attribute(fmu_variable(f, name), "valueReference", text, sizeof text));
    return (unsigned)atoi(text);
}

static inline void fmu_unpack(Fmu *f, const vgZip *zip)
{
    for (int i = 0; i < vg_zip_count(zip); i++) {
        char path[TEMPORARY_PATH + 300];
        size_t n;
        unsigned char *bytes = vg_zip_take(zip, i, &n);
        snprintf(path, sizeof path, "%s/%s", f->folder, vg_zip_name(zip, i));
        for (char *c = path + strlen(f->folder) + 1; (c = strchr(c, '/')); c++) {
            *c = 0;
            mkdir(path, 0700);
            *c = '/';
        }
        CHECK(bytes && vg_file_write(path, bytes, n));
        if (strstr(path, ".so")) snprintf(f->library_path, sizeof f->library_path, "%s", path);
        if (strstr(path, "modelDescription.xml")) f->xml = (char *)bytes;
        if ((char *)bytes != f->xml) free(bytes);
    }
}

static inline void fmu_fill(void *library, const char *const *name, void *table)
{
    for (char *to = table; *name; name++, to += sizeof(void *)) {
        void *found = dlsym(library, *name);
        if (!found) printf("there is no %s\n", *name);
        CHECK(found != NULL);
        memcpy(to, &found, sizeof found);
    }
}

/* Unpacks and loads. 1: it can be used. */
static inline int fmu_open(Fmu *f, const char *path)
{
    const char *why = NULL;
    *f = (Fmu){0};
    vgZip *zip = vg_zip_read(path, &why);
    if (!zip) printf("%s: %s\n", path, why);
    CHECK(zip != NULL);
    if (!zip || !temporary_folder(f->folder)) return 0;
    fmu_unpack(f, zip);
    vg_zip_free(zip);
    snprintf(f->resources, sizeof f->resources, "%s/resources", f->folder);
    if (!f->xml || !f->library_path[0]) return 0;
    if (!fmu_attribute(f->xml + 60, "guid", f->token, sizeof f->token))
        CHECK(fmu_attribute(f->xml + 60, "instantiationToken", f->token, sizeof f->token));
    f->library = dlopen(f->library_path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) printf("%s\n", dlerror());
    CHECK(f->library != NULL);
    if (!f->library) return 0;
    fmu_fill(f->library, names2, &f->two);
    fmu_fill(f->library, names3, &f->three);
    return 1;
}

static inline void fmu_close(Fmu *f)
{
    char line[TEMPORARY_PATH + 20];
    if (f->library) dlclose(f->library);
    free(f->xml);
    snprintf(line, sizeof line, "rm -r '%s'", f->folder);
    if (f->folder[0]) CHECK(system(line) == 0);
}

static inline void *fmu_new2(const Fmu *f, vgFmi2Type type)
{
    char uri[TEMPORARY_PATH + 60];
    snprintf(uri, sizeof uri, "file://%s", f->resources);
    return f->two.fmi2Instantiate("unit", type, f->token, uri, &callbacks2, 0, 1);
}

/* Instantiated and initialized, at the start time 0. */
static inline void *fmu_start2(const Fmu *f, vgFmi2Type type)
{
    void *c = fmu_new2(f, type);
    CHECK(c != NULL);
    CHECK_INT(f->two.fmi2SetupExperiment(c, 0, 0, 0, 0, 0), VG_FMI2_OK);
    CHECK_INT(f->two.fmi2EnterInitializationMode(c), VG_FMI2_OK);
    CHECK_INT(f->two.fmi2ExitInitializationMode(c), VG_FMI2_OK);
    return c;
}

static inline void *fmu_new3(const Fmu *f, bool event_mode, bool early, vgFmi3Intermediate update)
{
    return f->three.fmi3InstantiateCoSimulation("unit", f->token, f->resources, false, true, event_mode,
                                                early, NULL, 0, NULL, fmu_log3, update);
}

static inline void *fmu_start3(const Fmu *f, bool event_mode, bool early, vgFmi3Intermediate update)
{
    void *c = fmu_new3(f, event_mode, early, update);
    CHECK(c != NULL);
    CHECK_INT(f->three.fmi3EnterInitializationMode(c, false, 0, 0, false, 0), VG_FMI3_OK);
    CHECK_INT(f->three.fmi3ExitInitializationMode(c), VG_FMI3_OK);
    return c;
}

/* A column of a CSV file of `verge run`, by the beginning of its title; how many numbers. */
static inline int csv_column(const char *path, const char *title, double *out, int most)
{
    static char line[200000];
    FILE *f = fopen(path, "r");
    int column = 0, n = 0;
    CHECK(f && fgets(line, sizeof line, f));
    if (!f) return 0;
    char *at = line;
    while (at && strncmp(at, title, strlen(title)) != 0) {
        at = strchr(at, ',');
        if (at) at++, column++;
    }
    CHECK(at != NULL);
    while (at && n < most && fgets(line, sizeof line, f)) {
        char *cell = line;
        for (int k = 0; k < column && cell; k++) cell = strchr(cell, ','), cell = cell ? cell + 1 : NULL;
        out[n++] = cell ? strtod(cell, NULL) : NAN;
    }
    fclose(f);
    return n;
}

#endif
