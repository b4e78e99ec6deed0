/* As every_setting.c, for coordinates that only spatial mechanisms have. */
#include "suite/settings.h"
#include "suite/spatial_slider_crank.h"

static const char spatial_text[] = SPATIAL_SLIDER_CRANK "run: {step: 2e-3, end: 0.02}\n";

TEST(spatial_slider_crank)
{
    check_model(spatial_text, (const char *const[]){"relative", "natural", NULL}, 0);
}

/* Bodies with rotation coordinates of their own, every pair of constraints and integrator. */
TEST(mixed_coordinates)
{
    check_model(spatial_text,
                (const char *const[]){"cayley", "se3", "euler-parameters", "euler-angles", "euler-angles-1",
                                      "relative", "natural", NULL},
                1);
}

/* The words of a refusal name the pair and what does go. */
TEST(words)
{
    vgModel *m = vg_model_parse(spatial_text, strlen(spatial_text), "text", NULL, 0, NULL);
    Result a = run(m, "euler-angles-1", "augmented3", "rk4", 2e-3),
           b = run(m, "lie", "augmented3", "rk4", 2e-3),
           c = run(m, "lie", "augmented3:beta=3", "trapezoidal", 2e-3),
           d = run(m, "lie", "penalty:omega=-1", "trapezoidal", 2e-3);
    CHECK_STR(a.error,
              "coordinates 'euler-angles-1' do not work with constraints 'augmented3'; they take index1");
    CHECK_STR(b.error, "integrator 'rk4' does not work with constraints 'augmented3'; it takes index1, "
                       "augmented1, penalty, independent");
    CHECK_STR(c.error, "unknown option 'beta' of constraints 'augmented3', expected alpha");
    CHECK_STR(d.error, "option 'omega' of constraints 'penalty' must be from 0");
    vg_model_free(m);
}

TEST_MAIN(spatial_slider_crank, mixed_coordinates, words)
