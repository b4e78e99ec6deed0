"""A Gymnasium-style environment without a dependency: a cart-pole that a controller keeps up. reset() and step() have the
signatures of gymnasium.Env, so that a class of both needs one line."""
import numpy as np
import verge

MODEL = """
verge: 1
planar: true
gravity: 9.81
bodies:
  cart: {mass: 1, inertia: 0.01}
  pole: {mass: 0.2, inertia: 0.006, com: [0, 0.3]}
joints:
  rail: {prismatic: [ground, cart], axis: x}
  pin: {revolute: [cart, pole]}
forces:
  motor: {joint-torque: rail, value: input.force}
run: {step: 0.01}
"""


class CartPole:
    """Observation: displacement, angle and their rates. Action: a force in N."""

    limit, strongest = 0.5, 30.0

    def __init__(self):
        self.sim = verge.Model(MODEL).sim(coordinates="relative", integrator="rk4")
        self.fresh = self.sim.save()
        self.random = np.random.default_rng(0)

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.sim.restore(self.fresh)
        self.sim.set(self.random.uniform(-0.05, 0.05, size=4), t=0)
        return np.array(self.sim.state), {}

    def step(self, action):
        self.sim.set_input(0, float(np.clip(action, -self.strongest, self.strongest)))
        for _ in range(2):
            self.sim.step(0.01)
        state = np.array(self.sim.state)
        fallen = abs(state[1]) > self.limit
        return state, 0.0 if fallen else 1.0, fallen, self.sim.time >= 5, {}


def play(environment, policy, seed):
    state, _ = environment.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        state, reward, fallen, late, _ = environment.step(policy(state))
        total, done = total + reward, fallen or late
    return total


if __name__ == "__main__":
    env = CartPole()
    held = play(env, lambda x: np.array([8.5, -48.4, 8.4, -9.5]) @ x, seed=1)
    left = play(env, lambda x: 0.0, seed=1)
    print(f"rewards: {held:g} with a regulator, {left:g} without")
    assert held > 245 and left < 150
    assert play(env, lambda x: 0.0, seed=1) == left
