"""A bar of how far a run is: in a terminal, or in a notebook."""
import sys
import time


class Silent:
    def __call__(self, t, end, steps):
        pass

    def close(self):
        pass


class Own(Silent):
    def __init__(self, function):
        self.function = function

    def __call__(self, t, end, steps):
        self.function(t, end, steps)


class Bar(Silent):
    """One line, from the first second on, at most ten times a second."""

    WIDTH = 30

    def __init__(self, after):
        self.began, self.shown, self.after, self.handle = time.monotonic(), 0.0, after, None

    def text(self, t, end, steps):
        part = min(1.0, max(0.0, t / end)) if end > 0 else 0.0
        full = round(part * self.WIDTH)
        spent = time.monotonic() - self.began
        left = f", {spent * (1 - part) / part:.0f} s left" if part > 0.01 else ""
        return f"{'█' * full}{'░' * (self.WIDTH - full)} {100 * part:3.0f} %  t = {t:.4g} s, {steps} steps{left}"

    def __call__(self, t, end, steps):
        now = time.monotonic()
        if now - self.began < self.after or now - self.shown < 0.1:
            return
        self.shown = now
        self.show(self.text(t, end, steps))

    def show(self, text):
        sys.stderr.write("\r" + text + "\x1b[K")
        sys.stderr.flush()

    def close(self):
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class NotebookBar(Bar):
    def show(self, text):
        from IPython.display import HTML, display
        page = HTML(f"<pre>{text}</pre>")
        if self.handle:
            self.handle.update(page)
        else:
            self.handle = display(page, display_id=True)

    def close(self):
        if self.handle:
            from IPython.display import HTML
            self.handle.update(HTML(""))


def in_notebook():
    shell = sys.modules.get("IPython")
    shell = shell and shell.get_ipython()
    return shell is not None and "zmq" in type(shell).__module__


def progress_of(wish):
    if callable(wish):
        return Own(wish)
    if wish is False or (wish is None and not in_notebook() and not (sys.stderr and sys.stderr.isatty())):
        return Silent()
    return (NotebookBar if in_notebook() else Bar)(0.0 if wish else 1.0)
