/* SUNDIALS as a reference: agrees with our own methods where it is built in. */
#include <math.h>

#include "run_model.h"
#include "test.h"

TEST(agrees_with_dormand_prince)
{
    static const char *const names[] = {"cvode", "arkode", "ida"};
    static const char *const models[] = {"slider-crank", "heavy-top"};
    if (!vg_integrator_find("ida")) {
        CHECK(1); /* not built in */
        return;
    }
    for (int m = 0; m < 2; m++) {
        runSpec fine = {.model = models[m],
                        .constraints = "index1",
                        .integrator = "dopri5:rtol=1e-11,atol=1e-13",
                        .end = 0.2,
                        .channel = {m ? "marker.top.com.position.x" : "joint.O.angle"}};
        runResult ref = run_model(&fine);
        CHECK_INT(ref.status, VG_OK);
        for (int k = 0; k < 3; k++) {
            char text[64];
            snprintf(text, sizeof text, "%s:rtol=1e-9,atol=1e-11", names[k]);
            runSpec s = fine;
            s.integrator = text;
            s.step = 0.05;
            s.every = 1;
            runResult r = run_model(&s);
            if (r.status != VG_OK) printf("%s: %s\n", text, r.error);
            CHECK_INT(r.status, VG_OK);
            CHECK_NEAR(r.value[0], ref.value[0], 2e-6);
            CHECK(r.end.stats.max_phi < 1e-12);
        }
    }
}

TEST_MAIN(agrees_with_dormand_prince)
