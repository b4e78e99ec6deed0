"""Results of runs."""
import base64
import html
import os
import tempfile
import webbrowser

from . import _core, _program
from ._errors import InputError
from ._numpy import array


class Result:
    """A run: columns by name, as NumPy arrays.

    Attributes: time, names, units, warnings, statistics (a dict, as `verge run --json` prints it), t (time reached), ok.
    """

    def __init__(self, model, data):
        self._model, self._run = model, data["run"]
        self.names, self.warnings, self.t = data["names"], data["warnings"], data["t"]
        self.ok, self.error = data["status"] == 0, data["error"]
        self.units = dict(zip(self.names, data["units"]))
        self.statistics = _program.parse(data["json"])
        self.time = array(data["time"])
        self.values = array(data["values"], len(self.time), len(self.names))
        self._column = {name: i for i, name in enumerate(self.names)}

    def __repr__(self):
        state = "" if self.ok else ", ended early"
        return f"<verge.Result: {len(self.time)} samples of {len(self.names)} channels to t = {self.t:g} s{state}>"

    def __getitem__(self, name):
        """The column of a channel; "time" is one, too."""
        if name == "time":
            return self.time
        if name not in self._column:
            import difflib
            near = difflib.get_close_matches(name, self.names, 1)
            raise KeyError(f"'{name}' was not recorded" + (f"; did you mean '{near[0]}'?" if near else
                           f": run(record=[…]) takes any channel; there are {', '.join(self.names[:8])}"))
        return self.values[:, self._column[name]]

    def __contains__(self, name):
        return name == "time" or name in self._column

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)

    def keys(self):
        return list(self.names)

    def to_dict(self):
        """Columns by name, time first."""
        return {"time": self.time, **{name: self[name] for name in self.names}}

    def to_pandas(self):
        """A pandas DataFrame with time as index."""
        import pandas
        return pandas.DataFrame(self.values, columns=self.names, index=pandas.Index(self.time, name="time"))

    def save(self, path):
        """Writes a results file: .h5, .hdf5 or .csv, as `verge run -o` does."""
        _core.run_save(self._run, self._model._core, os.fspath(path))

    def plot(self, *channels, axes=None):
        """Plots channels over time with matplotlib, a panel for each unit. Returns the axes."""
        import fnmatch

        import matplotlib.pyplot as plt
        chosen = [n for n in self.names if not channels or any(fnmatch.fnmatchcase(n, c) for c in channels)]
        if not chosen:
            raise InputError(f"no recorded channel matches {', '.join(channels)}; there are {', '.join(self.names[:8])}")
        units = list(dict.fromkeys(self.units[n] for n in chosen))
        if axes is None:
            _, axes = plt.subplots(len(units), 1, sharex=True, squeeze=False, figsize=(7, 1.2 + 2.2 * len(units)), layout="constrained")
            axes = axes[:, 0]
        axes = [axes] * len(units) if hasattr(axes, "plot") else list(axes)
        for unit, axis in zip(units, axes):
            for name in chosen:
                if self.units[name] == unit:
                    axis.plot(self.time, self[name], label=name)
            axis.set_ylabel(unit or "1")
            axis.grid(alpha=0.3)
            axis.legend(fontsize="small")
        axes[-1].set_xlabel("time, s")
        return axes

    def view(self, path=None, height=560):
        """The page that shows the motion. In a notebook it appears inline; path keeps it as a file."""
        return view(self, path=path, height=height)


class View:
    """A page: shown inline in a notebook; open() shows it in a browser."""

    def __init__(self, page, path, height):
        self.page, self.path, self.height = page, path, height

    def _repr_html_(self):
        return (f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts allow-same-origin allow-downloads" '
                f'style="width: 100%; height: {self.height}px; border: 0"></iframe>')

    def data_url(self):
        return "data:text/html;base64," + base64.b64encode(self.page.encode()).decode()

    def open(self):
        path = self.path
        if not path:
            handle, path = tempfile.mkstemp(suffix=".html", prefix="verge-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.page)
        return webbrowser.open("file://" + os.path.abspath(path))


def view(*results, path=None, height=560):
    """A page of several results: the first solid, the others laid over it."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, result in enumerate(results):
            files.append(os.path.join(folder, f"run{i + 1}.h5"))
            result.save(files[-1])
        page = os.fspath(path) if path else os.path.join(folder, "page.html")
        _core.view(files, page)
        with open(page, encoding="utf-8") as file:
            return View(file.read(), path and page, height)
