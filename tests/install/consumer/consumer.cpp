// A program of somebody else, in C++: a stone falls.
#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include <verge/verge.h>

int main()
{
    const std::string text =
        "verge: 1\ngravity: [0, 0, -10]\nbodies: {stone: {mass: 2, point: true}}\nrun: {step: 0.01}\n";
    std::unique_ptr<vgModel, void (*)(vgModel *)> model(
        vg_parse(text.data(), text.size(), "stone", nullptr, nullptr), vg_model_free);
    vgSim *made = nullptr;
    vgStatus status = vg_sim_new(model.get(), nullptr, nullptr, &made);
    std::unique_ptr<vgSim, void (*)(vgSim *)> sim(made, vg_sim_free);
    double z = 0;
    if (status == VG_OK) status = vg_sim_advance(sim.get(), 1);
    if (status == VG_OK) status = vg_sim_get(sim.get(), "body.stone.position.z", &z);
    if (status == VG_OK && std::fabs(z + 5) > 1e-9) status = VG_NOT_CONVERGED;
    std::cout << "Verge " << vg_version() << ", " << vg_status_text(status) << "\n";
    return std::string(vg_version()) != VERGE_VERSION_STRING;
}
