#include "model/robot/robot.h"
void vg_mjcf_read(vgRobot *r, vgXml *root)
{
    vg_robot_wrong(r, root->loc, "MJCF is not read yet");
}
