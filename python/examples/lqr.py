"""A linear-quadratic regulator for the cart-pole: the linear model from the engine, the gains from scipy (or, where there is
none, from the stable eigenvectors of the Hamiltonian matrix), checked by a rollout of the full model from many states."""
import numpy as np
import verge
from environment import MODEL


def riccati(A, B, Q, R):
    try:
        from scipy.linalg import solve_continuous_are
        return solve_continuous_are(A, B, Q, R)
    except ImportError:
        n = len(A)
        H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
        value, vector = np.linalg.eig(H)
        V = vector[:, value.real < 0]
        return np.real(V[n:] @ np.linalg.inv(V[:n]))


model = verge.Model(MODEL)
sim = model.sim()
linear = sim.linearize(inputs=["force"], outputs=["joint.rail.displacement", "joint.pin.angle", "joint.rail.rate", "joint.pin.rate"])
# the same linear model for the outputs: C is square here
A = linear.C @ linear.A @ np.linalg.inv(linear.C)
B = linear.C @ linear.B
Q, R = np.diag([10.0, 100.0, 1.0, 1.0]), np.array([[0.1]])
P = riccati(A, B, Q, R)
K = np.linalg.solve(R, B.T @ P)
poles = np.linalg.eigvals(A - B @ K)
print("gains", K.round(3), "poles", poles.round(3))
assert (poles.real < 0).all()
assert np.abs(A.T @ P + P @ A - P @ B @ np.linalg.solve(R, B.T @ P) + Q).max() < 1e-6

# the full model from 50 states, all at once: a step, then new forces
states = np.random.default_rng(2).uniform(-0.15, 0.15, size=(50, 4))
for k in range(400):
    force = -(states @ K.T)
    states = verge.rollout(model, states, force[:, None, :], step=0.01, coordinates="relative", integrator="rk4").states[:, -1]
print("largest deviation after 4 s:", np.abs(states).max())
assert np.abs(states).max() < 5e-3
