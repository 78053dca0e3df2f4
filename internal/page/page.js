// Shows the numbers under the pointer, and zooms. What is read here is described in package figure,
// at ForWeb: the frames of a picture in data-frames, the numbers of a figure in data-readout.
"use strict";

let explained = false;
for (const plots of document.querySelectorAll(".plots")) start(plots);

function start(plots) {
  const readouts = JSON.parse(plots.dataset.readout || "[]");
  const pictures = [...plots.querySelectorAll("svg[data-frames]")].map(s => picture(s, readouts));
  if (!pictures.some(p => p.frames.some(f => f.z || f.d >= 0))) return;

  const hint = document.createElement("p"), words = document.createElement("span");
  hint.className = "hint";
  if (!explained) words.textContent = "Point at a picture for its numbers. " +
    "Drag across it to zoom, double-click to see all of it. ";
  explained = true;
  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "Show all";
  hint.append(words, reset);
  plots.after(hint);
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  plots.append(tip);

  const show = () => {
    reset.hidden = !pictures.some(p => p.svg.classList.contains("zoomed"));
    hint.hidden = reset.hidden && !words.textContent;
  };
  reset.addEventListener("click", () => {
    pictures.forEach(zoomOut);
    show();
  });
  show();
  for (const p of pictures) listen(p, reader(p, tip, plots), show);
}

// A picture keeps for each frame what of its axes is shown now: fx and fy.
function picture(svg, readouts) {
  const frames = JSON.parse(svg.dataset.frames);
  frames.forEach((f, i) => {
    f.readout = readouts[f.d];
    f.fx = f.x.slice(0, 2);
    f.fy = f.y.slice(0, 2);
    f.plots = [...svg.querySelectorAll(`.plot[data-f="${i}"]`)].map(
      p => ({ p, box: p.getAttribute("viewBox").split(" ").map(Number) }));
    f.parts = svg.querySelectorAll(`.part-x[data-f="${i}"], .part-y[data-f="${i}"]`);
  });
  return { svg, frames };
}

function zoom({ svg, frames }, frame, x, y) {
  for (const f of frames) {
    if (f !== frame && !(f.l && f.l === frame.l)) continue;
    f.fx = x;
    if (y && f === frame) f.fy = y;
    redraw(svg, f);
  }
  svg.classList.add("zoomed");
}

function zoomOut({ svg, frames }) {
  for (const f of frames) {
    f.fx = f.x.slice(0, 2);
    f.fy = f.y.slice(0, 2);
    redraw(svg, f);
  }
  svg.classList.remove("zoomed");
}

// Ranges are [from, to]; log says whether the axis is logarithmic.
const unit = (v, [a, b], log) => log ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a);
const value = (u, [a, b], log) => log ? a * Math.pow(b / a, u) : a + u * (b - a);
const clamp = (v, a, b) => Math.min(Math.max(v, a), b);
const place = (f, x, y) => [
  f.r[0] + unit(x, f.fx, f.x[2]) * (f.r[2] - f.r[0]),
  f.r[3] - unit(y, f.fy, f.y[2]) * (f.r[3] - f.r[1])];

function redraw(svg, f) {
  const [l, , r, b] = f.r, t = f.r[1];
  const ux = f.fx.map(v => unit(v, f.x, f.x[2])), uy = f.fy.map(v => unit(v, f.y, f.y[2]));
  const kx = ux[1] - ux[0], ky = uy[1] - uy[0];
  const left = l + ux[0] * (r - l), top = b - uy[1] * (b - t);
  for (const { p, box: [x, y, w, h] } of f.plots) {
    p.setAttribute("viewBox", [left + (x - l) * kx, top + (y - t) * ky, w * kx, h * ky].join(" "));
  }
  const whole = f.fx.every((v, i) => v === f.x[i]) && f.fy.every((v, i) => v === f.y[i]);
  if (whole) for (const { p, box } of f.plots) p.setAttribute("viewBox", box.join(" "));
  for (const part of f.parts) part.style.display = whole ? "" : "none";
  f.ticks?.remove();
  f.ticks = whole ? null : ticks(svg, f);
}

// Ticks at round numbers, in the places where the program puts them.
function ticks(svg, f) {
  const g = node("g", { fill: "currentColor", "font-size": 10 });
  const [l, t, r, b] = f.r, right = svg.viewBox.baseVal.width;
  let grid = "", marks = "";
  for (const [v, text] of round(f.fx, Math.min(8, (r - l) / 45))) {
    const [x] = place(f, v, f.fy[0]), half = text.length * 3;
    grid += `M${x} ${b}V${t}`;
    if (f.bare) continue;
    marks += `M${x} ${b}v3`;
    if (x + half <= right) label(g, x, b + 13, "middle", text, 2 * half + 4);
  }
  if (!f.mute) for (const [v, text] of round(f.fy, Math.min(7, (b - t) / 26))) {
    const [, y] = place(f, f.fx[0], v);
    grid += `M${l} ${y}H${r}`;
    marks += `M${l} ${y}h-3`;
    label(g, l - 5.5, y + 3.5, "end", text, 26);
  }
  const line = { stroke: "currentColor", fill: "none" };
  const draw = (d, opacity, width) =>
    g.append(node("path", { ...line, d, "stroke-opacity": opacity, "stroke-width": width }));
  if (!f.nogrid) draw(grid, .09, .6);
  draw(marks, .37, .8);
  svg.firstElementChild.prepend(g);
  return g;
}

// A label is squeezed where it would be longer than most.
function label(g, x, y, anchor, text, most) {
  const t = node("text", { x, y, "text-anchor": anchor, "fill-opacity": .73 });
  t.textContent = text;
  if (text.length * 5.6 > most) {
    t.setAttribute("textLength", most);
    t.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  g.append(t);
}

// About n multiples of 1, 2 or 5 times a power of ten from a to b, each with its text.
function round([a, b], n) {
  const aim = (b - a) / Math.max(n, 1), e = Math.floor(Math.log10(aim) + 1e-9);
  const m = [1, 2, 5, 10].find(m => m * 10 ** e >= aim * (1 - 1e-9)), step = m * 10 ** e;
  const digits = clamp(m === 10 ? -e - 1 : -e, 0, 12), size = Math.max(Math.abs(a), Math.abs(b));
  const list = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b + step * 1e-9; k++) {
    const v = k * step, plain = size < 1e6 && size >= 1e-3;
    list.push([v, minus(plain ? v.toFixed(digits) : v.toExponential(2))]);
  }
  return list;
}

function node(name, attributes) {
  const n = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) n.setAttribute(k, v);
  return n;
}

// A spot is a place in a frame, in the picture's units.
const within = (f, q) => ({ f, x: clamp(q.x, f.r[0], f.r[2]), y: clamp(q.y, f.r[1], f.r[3]) });
const data = ({ f, x, y }) => [
  value((x - f.r[0]) / (f.r[2] - f.r[0]), f.fx, f.x[2]),
  value((f.r[3] - y) / (f.r[3] - f.r[1]), f.fy, f.y[2])];

function listen(p, reading, show) {
  const { svg, frames } = p;
  const point = e =>
    new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const spot = e => {
    const q = point(e), near = 2;
    const f = frames.find(({ r }) => q.x >= r[0] && q.x <= r[2] &&
      q.y >= r[1] - near && q.y <= r[3] + near);
    return f && within(f, q);
  };
  let from = null, to = null;
  const drag = e => {
    const s = within(from.f, point(e));
    if (!to && Math.abs(s.x - from.x) <= 4) return false;
    if (!to) svg.setPointerCapture(e.pointerId);
    to = s;
    reading.select(from, to);
    return true;
  };
  svg.addEventListener("pointerdown", e => {
    const s = spot(e);
    if (!s) return;
    if (e.button === 0 && s.f.z) from = s;
    reading.read(s);
  });
  svg.addEventListener("pointermove", e => {
    if (from && drag(e)) return;
    const s = spot(e);
    if (s) reading.read(s); else reading.clear();
  });
  svg.addEventListener("pointerup", () => {
    const [a, b] = [from, to];
    from = to = null;
    if (!b) return;
    reading.clear();
    const [ax, ay] = data(a), [bx, by] = data(b);
    const sorted = (u, v) => u < v ? [u, v] : [v, u];
    if (Math.abs(unit(bx, a.f.x, a.f.x[2]) - unit(ax, a.f.x, a.f.x[2])) < 1e-4) return;
    const tall = a.f.z === "xy" && Math.abs(b.y - a.y) > 4;
    zoom(p, a.f, sorted(ax, bx), tall ? sorted(ay, by) : null);
    show();
  });
  svg.addEventListener("pointercancel", () => {
    from = to = null;
    reading.clear();
  });
  svg.addEventListener("pointerleave", () => { if (!to) reading.clear(); });
  svg.addEventListener("dblclick", () => {
    zoomOut(p);
    show();
  });
  keys(p, reading, show);
}

// Arrow keys move along the first frame that has numbers; escape shows all of the picture.
function keys(p, reading, show) {
  const f = p.frames.find(f => f.readout && f.readout.at.length > 1);
  if (!f) return;
  const at = f.readout.at;
  let k = Math.floor(at.length / 2);
  p.svg.setAttribute("tabindex", "0");
  p.svg.addEventListener("blur", reading.clear);
  p.svg.addEventListener("keydown", e => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (e.key === "Escape") {
      zoomOut(p);
      reading.clear();
      show();
    }
    if (!step) return;
    e.preventDefault();
    k = clamp(k + step, 0, at.length - 1);
    const [x] = place(f, at[k], f.fy[0]);
    reading.read(within(f, { x, y: (f.r[1] + f.r[3]) / 2 }));
  });
}

// What is shown over a picture: lines through the spot that is read and its numbers, or a selection.
function reader({ svg, frames }, tip, plots) {
  const marks = node("g", {});
  svg.append(marks);
  const clear = () => {
    marks.replaceChildren();
    tip.hidden = true;
  };
  const select = (a, b) => {
    const [l, t, r, bottom] = a.f.r, both = a.f.z === "xy";
    const y = both ? Math.min(a.y, b.y) : t, height = both ? Math.abs(a.y - b.y) : bottom - t;
    tip.hidden = true;
    marks.replaceChildren(node("rect", { class: "selection", x: clamp(Math.min(a.x, b.x), l, r),
      y, width: Math.abs(a.x - b.x), height }));
  };
  const read = s => {
    const d = s.f.readout;
    if (!d) return clear();
    const [x, y] = data(s), list = d.at.length === 1;
    const i = nearest(d.at, x), j = d.by ? nearest(d.by, y) : 0;
    tip.replaceChildren(...lines(d, i, j, list).map((text, n) => {
      const line = document.createElement(n ? "span" : "b");
      line.textContent = text;
      return line;
    }));
    const [px, py] = place(s.f, d.at[i], d.by ? d.by[j] : s.f.fy[0]);
    const cursor = d => marks.append(node("path", { class: "cursor", d }));
    marks.replaceChildren();
    for (const f of frames) {
      if (f !== s.f && !(f.l && f.l === s.f.l)) continue;
      if (!list && px >= f.r[0] - 1 && px <= f.r[2] + 1) cursor(`M${px} ${f.r[1]}V${f.r[3]}`);
    }
    if (d.by && py >= s.f.r[1] && py <= s.f.r[3]) cursor(`M${s.f.r[0]} ${py}H${s.f.r[2]}`);
    beside(tip, plots, svg, s);
  };
  return { clear, select, read };
}

// The numbers at a point of a readout; a list has a row for each entry instead of an axis.
function lines(d, i, j, list) {
  const k = i * (d.by ? d.by.length : 1) + j, out = [];
  if (!list) out.push(`${d.x} ${on(d.at, i)}` + (d.by ? `, ${d.y} ${on(d.by, j)}` : ""));
  for (const row of d.rows) {
    if (row.t) out.push(row.t[k]);
    else if (row.v[k] != null) {
      const band = row.l ? ` (${row.b} ${write(row.l[k])} to ${write(row.u[k])})` : "";
      out.push(`${row.n}: ${write(row.v[k])}${band}`);
    }
  }
  return out;
}

// A number on an axis has as many digits as tell its neighbours apart.
function on(axis, i) {
  const a = axis[0], b = axis[axis.length - 1], size = Math.max(Math.abs(a), Math.abs(b));
  const more = b > a && size > 0 ? Math.max(0, Math.ceil(Math.log10(size / (b - a)))) : 0;
  return minus(String(Number(axis[i].toPrecision(Math.min(4 + more, 15)))));
}

// The tip stands beside the spot, within the figure.
function beside(tip, plots, svg, s) {
  tip.hidden = false;
  const width = plots.clientWidth, height = plots.clientHeight, gap = 14;
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, x = s.x * scale;
  const w = tip.offsetWidth, h = tip.offsetHeight;
  const left = x + gap + w <= width ? x + gap : x - gap - w;
  tip.style.left = clamp(left, 0, Math.max(0, width - w)) + "px";
  tip.style.top = clamp(s.y * scale - h / 2, 0, Math.max(0, height - h)) + "px";
}

function nearest(list, v) {
  let best = 0;
  list.forEach((u, i) => { if (Math.abs(u - v) < Math.abs(list[best] - v)) best = i; });
  return best;
}

const minus = text => text.replaceAll("-", "\u2212");

// Four digits; of large numbers, such as years and counts, all before the point.
function write(v) {
  const size = Math.abs(v);
  if (Number.isInteger(v) && size < 1e9) return minus(String(v));
  return minus(String(Number(v.toPrecision(size >= 1e4 && size < 1e9 ? 9 : 4))));
}
