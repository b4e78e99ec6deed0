#include "io/plot/plot.h"

#include <stdlib.h>

#include "test.h"

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) n++;
    return n;
}

/* Ticks that differ can be told apart, whatever they are near to; an axis has one way of writing. */
TEST(labels_of_neighbours_differ)
{
    static const double low[] = {0, 25.0199, 6.25e-15, -1e9, 0, 0.9999999},
                        high[] = {1e-4, 25.02, 6.2500001e-15, -1e9 + 1e-3, 8e5, 1.0000001};
    for (int i = 0; i < 6; i++) {
        const double x[] = {0, 1}, y[] = {low[i], high[i]};
        const vgSeries s = {.label = "s", .n = 2, .x = x, .y = y, .stride = 1};
        const vgPlot plot = {.nseries = 1, .series = &s};
        vgAxis ax, ay;
        char label[40], last[40] = "", name[100];
        vg_plot_axes(&plot, 8, 8, &ax, &ay);
        for (double v = vg_axis_first_tick(&ay); v <= ay.high + 1e-9 * ay.step; v += ay.step) {
            vg_axis_label(&ay, v, label, sizeof label);
            CHECK(strcmp(label, last) != 0 && strlen(label) < 9);
            CHECK_NEAR(atof(label) + ay.origin, v, 1e-5 * ay.step + 1e-15 * fabs(v));
            if (i == 0 && strcmp(label, "0") != 0) CHECK(strstr(label, "e-0") != NULL);
            strcpy(last, label);
        }
        vg_axis_name(&ay, "E", name, sizeof name);
        CHECK((strstr(name, "E above ") != NULL) == (ay.origin != 0));
    }
}

TEST(axes)
{
    double x[] = {0, 0.5, 1.93}, y[] = {-3.2, 0, 11};
    vgSeries s = {"s", 3, x, y, 1};
    vgPlot plot = {.nseries = 1, .series = &s};
    vgAxis ax, ay;
    vg_plot_axes(&plot, 10, 8, &ax, &ay);
    CHECK_NEAR(ax.low, 0, 0);
    CHECK_NEAR(ax.high, 1.93, 0);
    CHECK_NEAR(ax.step, 0.2, 1e-15);
    CHECK_NEAR(ay.step, 2, 0);
    CHECK_NEAR(ay.low, -4, 0);
    CHECK_NEAR(ay.high, 12, 0);
    CHECK_NEAR(vg_axis_at(&ay, 4), 0.5, 1e-15);
    char label[20];
    vg_axis_label(&ay, -1e-17, label, sizeof label);
    CHECK(strcmp(label, "0") == 0);
}

TEST(log_axes)
{
    double x[] = {1e-3, 1e-2, 0.1, -1}, y[] = {2e-9, 3e-7, 4e-5, 1};
    vgSeries s = {"s", 4, x, y, 1};
    vgPlot plot = {.nseries = 1, .series = &s, .log_x = 1, .log_y = 1};
    vgAxis ax, ay;
    vg_plot_axes(&plot, 10, 8, &ax, &ay);
    CHECK_NEAR(ax.low, -3, 1e-12); /* the negative x is left out, and its y with it */
    CHECK_NEAR(ax.high, -1, 1e-12);
    CHECK_NEAR(ay.low, -9, 1e-12);
    CHECK_NEAR(ay.high, -4, 1e-12);
    CHECK(isnan(vg_axis_at(&ax, -1)));
    CHECK_NEAR(vg_axis_at(&ax, 1e-2), 0.5, 1e-12);
}

/* constants, nothing, NaN: still a picture with numbers in it */
TEST(degenerate)
{
    double x[] = {0, 1}, flat[] = {5, 5}, nan[] = {NAN, NAN}, zero[] = {0, 0};
    const double *rows[] = {flat, nan, zero};
    for (int k = 0; k < 4; k++) {
        vgSeries s = {"s", k < 3 ? 2 : 0, x, k < 3 ? rows[k] : x, 1};
        vgPlot plot = {.nseries = 1, .series = &s};
        vgText svg = {0}, text = {0};
        vg_plot_svg(&plot, &svg);
        vg_plot_terminal(&plot, &text);
        CHECK(vg_text_ok(&svg) && vg_text_ok(&text));
        CHECK_INT(count(vg_text_at(&svg), "nan"), 0);
        CHECK_INT(count(vg_text_at(&svg), "</svg>"), 1);
        vg_text_free(&svg);
        vg_text_free(&text);
    }
}

/* A number between gaps cannot be a line; with neighbours it is no dot. */
TEST(lone_points)
{
    double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1, NAN, 2, 3, NAN, 4};
    vgSeries s = {"s", 6, x, y, 1};
    vgPlot plot = {.nseries = 1, .series = &s};
    vgText svg = {0};
    vg_plot_svg(&plot, &svg);
    CHECK_INT(count(vg_text_at(&svg), "<circle"), 2);
    vg_text_free(&svg);
    CHECK_INT(vg_plot_style(8).colour % 8, vg_plot_style(0).colour);
    CHECK(vg_plot_style(8).dash != vg_plot_style(0).dash);
}

TEST(svg_escapes_and_thins)
{
    enum { N = 100000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i * 1e-4, y[i] = sin(x[i]);
    y[N / 2] = NAN;
    vgSeries s[2] = {{"a<b&c", N, x, y, 1}, {"every other", N / 2, x, y, 2}};
    vgPlot plot = {.title = "t > 0", .x_label = "time [s]", .nseries = 2, .series = s};
    vgText svg = {0};
    vg_plot_svg(&plot, &svg);
    CHECK_INT(count(vg_text_at(&svg), "a&lt;b&amp;c"), 1);
    CHECK_INT(count(vg_text_at(&svg), "t &gt; 0"), 1);
    CHECK(svg.used < 200000); /* 150,000 points, a few thousand drawn */
    vg_text_free(&svg);
}

/* One row in a million is the extreme: it is drawn, and the file stays small. */
TEST(extremes_survive)
{
    enum { N = 1000000 };
    static double x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = i, y[i] = sin(1e3 * i);
    y[123456] = 40;
    vgSeries s = {"spike", N, x, y, 1};
    vgPlot plot = {.nseries = 1, .series = &s};
    vgAxis ax, ay;
    vg_plot_axes(&plot, 8, 9, &ax, &ay);
    vgText svg = {0};
    vg_plot_svg(&plot, &svg);
    CHECK(svg.used < 200000);
    /* the drawing area is known from the axis line: from its top to its bottom */
    double left, top, bottom, right, left2, low = 1e9;
    const char *axis = strstr(vg_text_at(&svg), "stroke=\"#333333\"");
    CHECK(axis && (axis = strstr(axis, "d=\"")) != NULL);
    CHECK(sscanf(axis, "d=\"M%lf %lfL%lf %lfL%lf", &left, &top, &left2, &bottom, &right) == 5);
    const char *at = strstr(axis, "#0072b2");
    for (double px, py; at && (at = strpbrk(at + 1, "ML\"<")) && *at != '<';) {
        if (sscanf(at + 1, "%lf %lf", &px, &py) == 2 && py < low) low = py;
    }
    CHECK_NEAR(low, bottom - vg_axis_at(&ay, 40) * (bottom - top), 0.01);
    vg_text_free(&svg);
}

/* Panels in a figure: both are there, each clipped by itself; styles say colour, dash and legend. */
TEST(figure)
{
    double x[] = {0, 1, 2}, y[] = {1, 10, 100};
    vgSeries s[2] = {{"one", 3, x, y, 1}, {"two", 3, x, y, 1}};
    vgStyle style[2] = {{.colour = 3}, {.colour = 3, .dash = 1, .hidden = 1}};
    vgPlot plots[2] = {{.y_label = "left", .log_y = 1, .marks = 1, .nseries = 2, .series = s, .style = style},
                       {.y_label = "right", .top = 50, .nseries = 1, .series = s}};
    vgFigure figure = {.title = "both", .columns = 2, .one_legend = 1, .nplot = 2, .plot = plots};
    vgText svg = {0};
    vg_figure_svg(&figure, &svg);
    const char *text = vg_text_at(&svg);
    CHECK_INT(count(text, "<clipPath"), 2);
    CHECK_INT(count(text, "</g>"), 2);
    CHECK_INT(count(text, ">left<") + count(text, ">right<") + count(text, ">both<"), 3);
    CHECK_INT(count(text, ">one<"), 1);
    CHECK_INT(count(text, ">two<"), 0);
    CHECK_INT(count(text, "<circle"), 6);
    CHECK_INT(count(text, "stroke-dasharray"), 1);
    CHECK_INT(count(text, ">10²<"), 1);
    vgAxis ax, ay;
    vg_plot_axes(&plots[1], 8, 8, &ax, &ay);
    CHECK(ay.high <= 50 + 10);
    vg_text_free(&svg);
}

TEST(terminal)
{
    double x[] = {0, 1, 2}, y[] = {0, 10, 0};
    vgSeries s = {"up and down", 3, x, y, 1};
    vgPlot plot = {.width = 40, .height = 10, .nseries = 1, .series = &s};
    vgText text = {0};
    vg_plot_terminal(&plot, &text);
    CHECK_STR(vg_text_at(&text), "* up and down");
    CHECK_INT(count(vg_text_at(&text), "\n"), 1 + 10 + 1 + 1);
    CHECK(count(vg_text_at(&text), "*") >= 20);
    vg_text_free(&text);
}

TEST_MAIN(labels_of_neighbours_differ, axes, log_axes, degenerate, lone_points, svg_escapes_and_thins,
          extremes_survive, figure, terminal)
