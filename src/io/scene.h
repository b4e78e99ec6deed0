/* What the viewer draws, as JSON: bodies with shapes and markers, joints and forces with their frames. All
 * frames are in the bodies' own (user's) frames, as the poses are.
 *
 *   {planar, gravity, bodies: [{name, shapes: [{kind, size, at: {position, quaternion}, color, points}],
 *    markers: [{name, position, quaternion}]}], ground: {markers}, joints: [{name, kind, a, b, frameA: {body,
 *    position, quaternion}, frameB}], forces: [{name, kind, bodies, frames, and along
 *    beams and cables nodes: [{body, position, quaternion}], section: {width, height, round}}], and of a robot file
 *    import: [{verdict, physics, place, text}]} */
#ifndef VG_IO_SCENE_H
#define VG_IO_SCENE_H

#include "io/json.h"
#include "model/model.h"

void vg_scene_write(const vgModel *model, vgJson *json);

#endif
