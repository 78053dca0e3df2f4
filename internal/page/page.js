// Shows the numbers under the pointer and zooms. Frames and readouts are described in package figure.
"use strict";
for (const plots of document.querySelectorAll(".plots")) {
  const readouts = JSON.parse(plots.dataset.readout || "[]");
  const pictures = [...plots.querySelectorAll("svg[data-frames]")].map(svg => picture(svg, readouts));
  const all = pictures.flatMap(p => p.frames);
  const zoomable = all.some(f => f.z), readable = all.some(f => f.d >= 0);
  if (!zoomable && !readable) continue;

  const hint = document.createElement("p");
  hint.className = "hint";
  const say = [];
  if (readable) say.push("Point at the picture for its numbers.");
  if (zoomable) say.push("Drag across it to zoom, double-click for all of it.");
  const words = document.createElement("span");
  words.textContent = say.join(" ") + " ";
  const reset = document.createElement("button");
  reset.type = "button";
  reset.textContent = "Show all";
  reset.hidden = true;
  hint.append(words, reset);
  plots.after(hint);
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  plots.append(tip);

  const show = () => { reset.hidden = !pictures.some(p => p.svg.classList.contains("zoomed")); };
  reset.addEventListener("click", () => { pictures.forEach(p => p.reset()); show(); });
  for (const p of pictures) listen(p, tip, plots, show);
}

// A picture keeps its frames, their ranges now (fx, fy), and draws ticks of its own when zoomed.
function picture(svg, readouts) {
  const frames = JSON.parse(svg.dataset.frames);
  const plotsOf = i => svg.querySelectorAll(`.plot[data-f="${i}"]`);
  frames.forEach((f, i) => {
    f.i = i;
    f.readout = readouts[f.d];
    f.fx = f.x.slice(0, 2);
    f.fy = f.y.slice(0, 2);
    f.plots = [...plotsOf(i)].map(p => ({ p, box: p.getAttribute("viewBox").split(" ").map(Number) }));
  });
  const p = { svg, frames };
  p.zoom = (f, x, y) => {
    for (const g of frames) {
      if (g !== f && !(f.l && g.l === f.l)) continue;
      if (x) g.fx = x;
      if (y && g === f) g.fy = y;
      redraw(svg, g);
    }
    svg.classList.add("zoomed");
  };
  p.reset = () => {
    for (const g of frames) {
      g.fx = g.x.slice(0, 2);
      g.fy = g.y.slice(0, 2);
      redraw(svg, g);
    }
    svg.classList.remove("zoomed");
  };
  return p;
}

const unit = (v, [a, b], log) => log ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a);
const value = (u, [a, b], log) => log ? a * Math.pow(b / a, u) : a + u * (b - a);
const place = (f, x, y) => [
  f.r[0] + unit(x, f.fx, f.x[2]) * (f.r[2] - f.r[0]),
  f.r[3] - unit(y, f.fy, f.y[2]) * (f.r[3] - f.r[1])];

function redraw(svg, f) {
  const whole = f.fx[0] === f.x[0] && f.fx[1] === f.x[1] && f.fy[0] === f.y[0] && f.fy[1] === f.y[1];
  const [l, t, r, b] = f.r;
  const x0 = l + unit(f.fx[0], f.x, f.x[2]) * (r - l), kx = (unit(f.fx[1], f.x, f.x[2]) - unit(f.fx[0], f.x, f.x[2]));
  const y0 = b - unit(f.fy[1], f.y, f.y[2]) * (b - t), ky = (unit(f.fy[1], f.y, f.y[2]) - unit(f.fy[0], f.y, f.y[2]));
  for (const { p, box } of f.plots) {
    const [x, y, w, h] = box;
    p.setAttribute("viewBox", [x0 + (x - l) * kx, y0 + (y - t) * ky, w * kx, h * ky].join(" "));
  }
  for (const part of svg.querySelectorAll(`.part-x[data-f="${f.i}"], .part-y[data-f="${f.i}"]`))
    part.style.display = whole ? "" : "none";
  f.ticks?.remove();
  f.ticks = null;
  if (!whole) drawTicks(svg, f);
}

// Ticks at round numbers, in the places where the program puts them.
function drawTicks(svg, f) {
  const g = f.ticks = node("g", { fill: "currentColor", "font-size": 10 });
  const [l, t, r, b] = f.r, right = svg.viewBox.baseVal.width;
  let grid = "", marks = "";
  const ticks = round(f.fx, Math.min(8, (r - l) / 45));
  if (!f.bare) for (const [v, text] of ticks) {
    const [x] = place(f, v, f.fy[0]);
    const width = text.length * 6;
    if (x + width / 2 <= right) label(g, x, b + 13, "middle", text, width + 4);
    marks += `M${x} ${b}v3`;
  }
  for (const [v] of ticks) grid += `M${place(f, v, f.fy[0])[0]} ${b}V${t}`;
  if (!f.mute) for (const [v, text] of round(f.fy, Math.min(7, (b - t) / 26))) {
    const [, y] = place(f, f.fx[0], v);
    label(g, l - 5.5, y + 3.5, "end", text, 26);
    marks += `M${l} ${y}h-3`;
    grid += `M${l} ${y}H${r}`;
  }
  if (!f.nogrid) g.append(node("path", { d: grid, stroke: "currentColor", "stroke-opacity": .09, "stroke-width": .6, fill: "none" }));
  g.append(node("path", { d: marks, stroke: "currentColor", "stroke-opacity": .37, "stroke-width": .8, fill: "none" }));
  svg.firstElementChild.prepend(g);
}

function label(g, x, y, anchor, text, most) {
  const t = node("text", { x, y, "text-anchor": anchor, "fill-opacity": .73 });
  t.textContent = text;
  if (text.length * 5.6 > most) {
    t.setAttribute("textLength", most);
    t.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  g.append(t);
}

function round([a, b], n) {
  const aim = (b - a) / Math.max(n, 1), e = Math.floor(Math.log10(aim) + 1e-9);
  const m = [1, 2, 5, 10].find(m => m * 10 ** e >= aim * (1 - 1e-9)), step = m * 10 ** e;
  const digits = Math.max(0, -e - (m === 10 ? 1 : 0)), list = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b + step * 1e-9; k++) {
    const v = k * step, big = Math.max(Math.abs(a), Math.abs(b));
    const text = big >= 1e6 || big < 1e-3 ? v.toExponential(2) : v.toFixed(Math.min(digits, 12));
    list.push([v, text.replace("-", "\u2212")]);
  }
  return list;
}

function node(name, attributes) {
  const n = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) n.setAttribute(k, v);
  return n;
}

function listen(p, tip, plots, show) {
  const { svg, frames } = p;
  const marks = node("g", {});
  svg.append(marks);
  let from = null;
  const point = e => new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const within = (f, q) => ({ f, x: Math.min(Math.max(q.x, f.r[0]), f.r[2]), y: Math.min(Math.max(q.y, f.r[1]), f.r[3]) });
  const at = e => {
    const q = point(e);
    const f = frames.find(f => q.x >= f.r[0] && q.x <= f.r[2] && q.y >= f.r[1] - 2 && q.y <= f.r[3] + 2);
    return f && within(f, q);
  };
  const data = s => [
    value((s.x - s.f.r[0]) / (s.f.r[2] - s.f.r[0]), s.f.fx, s.f.x[2]),
    value((s.f.r[3] - s.y) / (s.f.r[3] - s.f.r[1]), s.f.fy, s.f.y[2])];
  const clear = () => { marks.replaceChildren(); tip.hidden = true; };
  svg.addEventListener("pointerdown", e => {
    const s = at(e);
    if (!s) return;
    if (e.button === 0 && s.f.z) from = s;
    read(s);
  });
  svg.addEventListener("pointermove", e => {
    if (from) {
      const { f } = from, s = within(f, point(e));
      if (Math.abs(s.x - from.x) > 4) {
        if (!svg.hasPointerCapture(e.pointerId)) svg.setPointerCapture(e.pointerId);
        from.to = s;
        tip.hidden = true;
        const both = f.z === "xy";
        marks.replaceChildren(node("rect", { class: "selection", x: Math.min(s.x, from.x), width: Math.abs(s.x - from.x),
          y: both ? Math.min(s.y, from.y) : f.r[1], height: both ? Math.abs(s.y - from.y) : f.r[3] - f.r[1] }));
        return;
      }
    }
    const s = at(e);
    s ? read(s) : clear();
  });
  svg.addEventListener("pointerup", () => {
    const a = from, b = from?.to;
    from = null;
    if (!b) return;
    clear();
    const [ax, ay] = data(a), [bx, by] = data(b), sorted = (u, v) => [Math.min(u, v), Math.max(u, v)];
    const wholeX = a.f.x[1] - a.f.x[0], x = sorted(ax, bx);
    if (x[1] - x[0] < wholeX * 1e-4) return;
    const tall = a.f.z === "xy" && Math.abs(b.y - a.y) > 4;
    p.zoom(a.f, x, tall ? sorted(ay, by) : null);
    show();
  });
  svg.addEventListener("pointercancel", () => { from = null; clear(); });
  svg.addEventListener("pointerleave", () => { if (!from) clear(); });
  svg.addEventListener("dblclick", () => { p.reset(); show(); });

  // With the keyboard: arrows move along the first panel that can be read, escape shows all of it.
  const first = frames.find(f => f.readout && f.readout.at.length > 1);
  if (first) {
    svg.setAttribute("tabindex", "0");
    let k = Math.floor(first.readout.at.length / 2);
    svg.addEventListener("keydown", e => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (e.key === "Escape") { p.reset(); clear(); show(); }
      if (!step) return;
      e.preventDefault();
      k = Math.min(Math.max(k + step, 0), first.readout.at.length - 1);
      const [x] = place(first, first.readout.at[k], first.fy[0]);
      read({ f: first, x: Math.min(Math.max(x, first.r[0]), first.r[2]), y: (first.r[1] + first.r[3]) / 2 });
    });
    svg.addEventListener("blur", clear);
  }

  function read(s) {
    const d = s.f.readout;
    if (!d) { clear(); return; }
    const [x, y] = data(s), i = nearest(d.at, x), j = d.by ? nearest(d.by, y) : 0;
    const k = i * (d.by ? d.by.length : 1) + j, lines = [];
    const single = d.at.length === 1;
    if (!single) lines.push(`${d.x} ${write(d.at[i])}` + (d.by ? `, ${d.y} ${write(d.by[j])}` : ""));
    for (const row of d.rows) {
      if (row.t) { lines.push(row.t[k]); continue; }
      if (row.v[k] == null) continue;
      let text = `${row.n}: ${write(row.v[k])}`;
      if (row.l) text += ` (${row.b} ${write(row.l[k])} to ${write(row.u[k])})`;
      lines.push(text);
    }
    tip.replaceChildren(...lines.map((text, n) => {
      const line = document.createElement(n ? "span" : "b");
      line.textContent = text;
      return line;
    }));
    const [px, py] = place(s.f, single ? s.f.fx[0] : d.at[i], d.by ? d.by[j] : s.f.fy[0]);
    marks.replaceChildren();
    for (const f of frames) {
      const same = f === s.f || (s.f.l && f.l === s.f.l);
      if (same && !single && px >= f.r[0] - 1 && px <= f.r[2] + 1)
        marks.append(node("path", { class: "cursor", d: `M${px} ${f.r[1]}V${f.r[3]}` }));
    }
    if (d.by && py >= s.f.r[1] && py <= s.f.r[3]) marks.append(node("path", { class: "cursor", d: `M${s.f.r[0]} ${py}H${s.f.r[2]}` }));
    tip.hidden = false;
    const box = plots.getBoundingClientRect(), size = svg.getBoundingClientRect(), k1 = size.width / svg.viewBox.baseVal.width;
    const left = s.x * k1, w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(0, Math.min(left + 14 + w <= box.width ? left + 14 : left - w - 14, box.width - w)) + "px";
    tip.style.top = Math.max(0, Math.min(s.y * k1 - h / 2, box.height - h)) + "px";
  }
}

function nearest(list, v) {
  let best = 0;
  for (let i = 1; i < list.length; i++) if (Math.abs(list[i] - v) < Math.abs(list[best] - v)) best = i;
  return best;
}

function write(v) {
  if (Number.isInteger(v) && Math.abs(v) < 1e6) return String(v).replace("-", "\u2212");
  return String(Number(v.toPrecision(v === 0 ? 1 : Math.abs(v) >= 1e4 && Math.abs(v) < 1e9 ? 7 : 4))).replace("-", "\u2212");
}
