/* The five papers and their experiments, in the order of the report. */
#include "reproduce/reproduce.h"

const vgPaper vg_papers[] = {
    {"Z", "Zhang, Zhang, Zanoni, Masarati 2022: A-stable integrators, linear analysis",
     vg_reproduce_z_linear},
    {"Z", "Zhang, Zhang, Zanoni, Masarati 2022: the squeezer mechanism", vg_reproduce_z_squeezer},
    {"Z", "Zhang, Zhang, Zanoni, Masarati 2022: flexible mechanisms", vg_reproduce_z_flexible},
    {"Z", "Zhang, Zhang, Zanoni, Masarati 2022: cost of a step", vg_reproduce_z_iterations},
    {"N", "Negrut, Jay, Khude 2009: low-order integration formulas for multibody dynamics", vg_reproduce_n},
    {"G", "García de Jalón, Bayo 1994, chapter 7: numerical integration of the equations of motion",
     vg_reproduce_g},
    {"D", "Dopico, Lugrís, González, Cuadrado: implicit Runge–Kutta and structural integrators in real time",
     vg_reproduce_d},
    {"H", "Holzinger, Arnold, Gerstmayr 2024: Lie group integration, heavy top", vg_reproduce_h_top},
    {"H", "Holzinger, Arnold, Gerstmayr 2024: Lie group integration, high-speed rotor", vg_reproduce_h_rotor},
    {"H", "Holzinger, Arnold, Gerstmayr 2024: Lie group integration, slider-crank, robot, SE(3)",
     vg_reproduce_h_rest},
    {0},
};

const vgShare vg_shares[] = {
    {"Z28b", "Z14-16m"},    /* the four-bar at two steps */
    {"Z28d", "Z25-27"},     /* the shaft at two of four steps */
    {"N9-10", "N4"},        /* the flexible slider-crank */
    {"H11-13i", "H11-13x"}, /* the rotor's reference */
    {0},
};
