"""NumPy, when it is first needed."""


def numpy():
    try:
        import numpy as np
    except ImportError as error:
        raise ImportError("verge gives its numbers as NumPy arrays: install numpy") from error
    return np


def array(memory, *shape):
    """A view of the engine's numbers."""
    x = numpy().frombuffer(memory, dtype=float)
    return x.reshape(shape) if shape else x


def memory(x, *shape):
    """Numbers as the engine takes them."""
    np = numpy()
    x = np.ascontiguousarray(np.broadcast_to(np.asarray(x, dtype=float), shape) if shape else np.asarray(x, dtype=float))
    return bytearray(x.tobytes())
