/* The explicit Runge–Kutta methods: a Butcher tableau and a row each. A new one is a tableau and a row here, and its
 * name in the list of integrator.c; tests/integrator/test_explicit_tables.c proves its order conditions. */
#include "integrator/explicit/rk.h"

/* clang-format off */

enum { CONTROLLED = VG_INT_ESTIMATE | VG_INT_ADAPTIVE, DOUBLED = VG_INT_ESTIMATE | VG_INT_DOUBLING };

static const double euler_a[] = {0}, euler_b[] = {1}, euler_c[] = {0};
static const vgTableau vg_tableau_euler = {.stages = 1, .order = 1, .a = euler_a, .b = euler_b, .c = euler_c};
VG_EXPLICIT_ROW(euler, "euler", "forward Euler, exponential on the group", "Euler 1768; [G] [H]", 1, 1, DOUBLED | VG_INT_WITHIN);

static const double heun_a[] = {0, 0,
                                1, 0};
static const double heun_b[] = {0.5, 0.5}, heun_c[] = {0, 1};
static const vgTableau vg_tableau_heun = {.stages = 2, .order = 2, .a = heun_a, .b = heun_b, .c = heun_c};
VG_EXPLICIT_ROW(heun, "heun", "Heun, order 2, RKMK on the group", "Heun 1900; [G] [H]", 2, 2, DOUBLED | VG_INT_WITHIN);

/* Bogacki, Shampine 1989 */
static const double bs32_a[] = {0,      0,      0,      0,
                                1. / 2, 0,      0,      0,
                                0,      3. / 4, 0,      0,
                                2. / 9, 1. / 3, 4. / 9, 0};
static const double bs32_b[] = {2. / 9, 1. / 3, 4. / 9, 0}, bs32_c[] = {0, 0.5, 0.75, 1};
static const double bs32_e[] = {-5. / 72, 1. / 12, 1. / 9, -1. / 8};
static const vgTableau vg_tableau_bs32 = {
    .stages = 4, .order = 3, .a = bs32_a, .b = bs32_b, .c = bs32_c, .e = bs32_e, .fsal = 1};
VG_EXPLICIT_ROW(bs32, "bs32", "Bogacki–Shampine 3(2) with error control, RKMK on the group",
             "Bogacki, Shampine 1989; [H]", 3, 4, CONTROLLED);

static const double rk4_a[] = {0,   0,   0, 0,
                               0.5, 0,   0, 0,
                               0,   0.5, 0, 0,
                               0,   0,   1, 0};
static const double rk4_b[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, rk4_c[] = {0, 0.5, 0.5, 1};
static const vgTableau vg_tableau_rk4 = {.stages = 4, .order = 4, .a = rk4_a, .b = rk4_b, .c = rk4_c};
VG_EXPLICIT_ROW(rk4, "rk4", "classical Runge–Kutta of order 4, RKMK on the group", "Kutta 1901; [G] [H]", 4, 4,
             DOUBLED);

/* Fehlberg 1970: the solution of order 4 goes on, the one of order 5 measures it */
static const double rkf45_a[] = {
    0,            0,             0,             0,            0,         0,
    1. / 4,       0,             0,             0,            0,         0,
    3. / 32,      9. / 32,       0,             0,            0,         0,
    1932. / 2197, -7200. / 2197, 7296. / 2197,  0,            0,         0,
    439. / 216,   -8,            3680. / 513,   -845. / 4104, 0,         0,
    -8. / 27,     2,             -3544. / 2565, 1859. / 4104, -11. / 40, 0};
static const double rkf45_b[] = {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0};
static const double rkf45_c[] = {0, 1. / 4, 3. / 8, 12. / 13, 1, 1. / 2};
static const double rkf45_e[] = {-1. / 360, 0, 128. / 4275, 2197. / 75240, -1. / 50, -2. / 55};
static const vgTableau vg_tableau_rkf45 = {
    .stages = 6, .order = 4, .a = rkf45_a, .b = rkf45_b, .c = rkf45_c, .e = rkf45_e};
VG_EXPLICIT_ROW(rkf45, "rkf45", "Runge–Kutta–Fehlberg 4(5) with error control, RKMK on the group",
             "Fehlberg 1970; [G]", 4, 6, CONTROLLED);

/* Dormand, Prince 1980 */
static const double dopri5_a[] = {
    0,             0,              0,             0,           0,              0,        0,
    1. / 5,        0,              0,             0,           0,              0,        0,
    3. / 40,       9. / 40,        0,             0,           0,              0,        0,
    44. / 45,      -56. / 15,      32. / 9,       0,           0,              0,        0,
    19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729, 0,              0,        0,
    9017. / 3168,  -355. / 33,     46732. / 5247, 49. / 176,   -5103. / 18656, 0,        0,
    35. / 384,     0,              500. / 1113,   125. / 192,  -2187. / 6784,  11. / 84, 0};
static const double dopri5_b[] = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0};
static const double dopri5_c[] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double dopri5_e[] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
const vgTableau vg_tableau_dopri5 = {
    .stages = 7, .order = 5, .a = dopri5_a, .b = dopri5_b, .c = dopri5_c, .e = dopri5_e, .fsal = 1};
VG_EXPLICIT_ROW(dopri5, "dopri5", "Dormand–Prince 5(4) with error control, RKMK on the group",
             "Dormand, Prince 1980; [H]", 5, 7, CONTROLLED);

/* Butcher 1964: order 6 with the least number of stages */
static const double rk6_a[] = {
    0,            0,         0,         0,          0,         0,        0,
    1. / 3,       0,         0,         0,          0,         0,        0,
    0,            2. / 3,    0,         0,          0,         0,        0,
    1. / 12,      1. / 3,    -1. / 12,  0,          0,         0,        0,
    25. / 48,     -55. / 24, 35. / 48,  15. / 8,    0,         0,        0,
    3. / 20,      -11. / 24, -1. / 8,   1. / 2,     1. / 10,   0,        0,
    -261. / 260,  33. / 13,  43. / 156, -118. / 39, 32. / 195, 80. / 39, 0};
static const double rk6_b[] = {13. / 200, 0, 11. / 40, 11. / 40, 4. / 25, 4. / 25, 13. / 200};
static const double rk6_c[] = {0, 1. / 3, 2. / 3, 1. / 3, 5. / 6, 1. / 6, 1};
static const vgTableau vg_tableau_rk6 = {.stages = 7, .order = 6, .a = rk6_a, .b = rk6_b, .c = rk6_c};
VG_EXPLICIT_ROW(rk6, "rk6", "Butcher's Runge–Kutta of order 6 in 7 stages, RKMK on the group",
             "Butcher 1964; [H]", 6, 7, DOUBLED);

/* Dormand, Prince 8(5,3), in the numbers of Hairer, Nørsett, Wanner I, II.10 */
static const double dop853_a[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    5.26001519587677318785587544488e-2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2.95875854768068491816892993775e-2, 0, 8.87627564304205475450678981324e-2, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    2.41365134159266685502369798665e-1, 0, -8.84549479328286085344864962717e-1,
    9.24834003261792003115737966543e-1, 0, 0, 0, 0, 0, 0, 0, 0,
    3.7037037037037037037037037037e-2, 0, 0, 1.70828608729473871279604482173e-1,
    1.25467687566822425016691814123e-1, 0, 0, 0, 0, 0, 0, 0,
    3.7109375e-2, 0, 0, 1.70252211019544039314978060272e-1, 6.02165389804559606850219397283e-2,
    -1.7578125e-2, 0, 0, 0, 0, 0, 0,
    3.70920001185047927108779319836e-2, 0, 0, 1.70383925712239993810214054705e-1,
    1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2,
    8.27378916381402288758473766002e-3, 0, 0, 0, 0, 0,
    6.24110958716075717114429577812e-1, 0, 0, -3.36089262944694129406857109825,
    -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1,
    2.01540675504778934086186788979e1, -4.34898841810699588477366255144e1, 0, 0, 0, 0,
    4.77662536438264365890433908527e-1, 0, 0, -2.48811461997166764192642586468,
    -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1,
    1.52792336328824235832596922938e1, -3.32882109689848629194453265587e1,
    -2.03312017085086261358222928593e-2, 0, 0, 0,
    -9.3714243008598732571704021658e-1, 0, 0, 5.18637242884406370830023853209,
    1.09143734899672957818500254654, -8.14978701074692612513997267357,
    -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
    2.49360555267965238987089396762, -3.0467644718982195003823669022, 0, 0,
    2.27331014751653820792359768449, 0, 0, -1.05344954667372501984066689879e1,
    -2.00087205822486249909675718444, -1.79589318631187989172765950534e1,
    2.79488845294199600508499808837e1, -2.85899827713502369474065508674,
    -8.87285693353062954433549289258, 1.23605671757943030647266201528e1,
    6.43392746015763530355970484046e-1, 0};
static const double dop853_b[] = {
    5.42937341165687622380535766363e-2, 0, 0, 0, 0, 4.45031289275240888144113950566,
    1.89151789931450038304281599044, -5.8012039600105847814672114227, 3.1116436695781989440891606237e-1,
    -1.52160949662516078556178806805e-1, 2.01365400804030348374776537501e-1,
    4.47106157277725905176885569043e-2};
static const double dop853_c[] = {
    0, 5.26001519587677318785587544488e-2, 7.89002279381515978178381316732e-2,
    1.18350341907227396726757197510e-1, 2.81649658092772603273242802490e-1, 1. / 3, 1. / 4, 4. / 13,
    6.51282051282051282051282051282e-1, 3. / 5, 6. / 7, 1};
static const double dop853_e[] = { /* of order 5 */
    1.312004499419488073250102996e-2, 0, 0, 0, 0, -1.225156446376204440720569753,
    -4.957589496572501915214079952e-1, 1.664377182454986536961530415, -3.503288487499736816886487290e-1,
    3.341791187130174790297318841e-1, 8.192320648511571246570742613e-2, -2.235530786388629525884427845e-2};
static const double dop853_e2[] = { /* of order 3 */
    5.42937341165687622380535766363e-2 - 0.244094488188976377952755905512, 0, 0, 0, 0,
    4.45031289275240888144113950566, 1.89151789931450038304281599044, -5.8012039600105847814672114227,
    3.1116436695781989440891606237e-1 - 0.733846688281611857341361741547,
    -1.52160949662516078556178806805e-1, 2.01365400804030348374776537501e-1,
    4.47106157277725905176885569043e-2 - 0.0220588235294117647058823529412};
static const vgTableau vg_tableau_dop853 = {
    .stages = 12, .order = 8, .a = dop853_a, .b = dop853_b, .c = dop853_c, .e = dop853_e, .e2 = dop853_e2};
VG_EXPLICIT_ROW(dop853, "dop853", "Dormand–Prince 8(5,3) with error control, RKMK on the group",
             "Hairer, Nørsett, Wanner I, II.10", 8, 12, CONTROLLED);
