// Returns what is wrong with the layout: text on text, text cut off, text too faint.
(() => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  const shown = e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const boxes = [], faults = [];
  const add = (node, e, r, text) => {
    if (r.width < 0.5 || r.height < 0.5) return;
    // A line's box is higher than its letters, accents and all.
    const trim = Math.min(r.width, r.height) * 0.16, upright = r.height > r.width * 1.5 && text.length > 2;
    boxes.push({ node, e, text, l: r.left + (upright ? trim : 0.5), r: r.right - (upright ? trim : 0.5),
      t: r.top + (upright ? 0.5 : trim), b: r.bottom - (upright ? 0.5 : trim) });
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement, text = n.textContent.trim();
    if (!text || e.closest("script, style") || !shown(e)) continue;
    const svg = e.closest("svg text");
    if (svg) {
      if (!boxes.some(b => b.node === svg)) add(svg, svg, svg.getBoundingClientRect(), svg.textContent);
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) add(n, e, r, text);
  }
  const name = b => JSON.stringify(b.text.length > 50 ? b.text.slice(0, 50) + "…" : b.text) +
    ` at ${Math.round(b.l)},${Math.round(b.t + scrollY)}`;
  boxes.sort((a, b) => a.t - b.t);
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length && boxes[j].t < boxes[i].b; j++) {
    const a = boxes[i], b = boxes[j];
    if (a.node === b.node || a.l >= b.r || b.l >= a.r) continue;
    faults.push(`${name(a)} overlaps ${name(b)}`);
  }
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${width}`);
  for (const b of boxes) {
    const frame = (b.e.closest("svg[viewBox]") || document.documentElement).getBoundingClientRect();
    const l = Math.max(frame.left, 0) - 0.5, r = Math.min(frame.right, width) + 0.5;
    if (b.l < l || b.r > r || b.e.closest("svg") && (b.t < frame.top - 0.5 || b.b > frame.bottom + 0.5))
      faults.push(`${name(b)} is cut off`);
  }

  // Contrast, WCAG 2.1: (L1 + .05)/(L2 + .05) of the relative luminances.
  const rgba = s => { const m = s.match(/[\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = c => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => {
    const v = c[i] / 255;
    return sum + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = rgba(getComputedStyle(e).backgroundColor);
      if (c[3] === 1) return c;
    }
    return [255, 255, 255, 1];
  };
  for (const b of boxes) {
    const style = getComputedStyle(b.e), back = ground(b.e), drawn = b.e.closest("svg text");
    const ink = rgba(drawn ? style.fill : style.color);
    if (drawn) ink[3] *= Number(style.fillOpacity);
    const [x, y] = [light(over(ink, back)), light(back)], ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (ratio < 4.5) faults.push(`${name(b)} has a contrast of ${ratio.toFixed(2)}`);
  }
  for (const b of window.blockedByPolicy || []) faults.push(`${b} is blocked by the page's policy`);
  return { Texts: boxes.length, Faults: faults.slice(0, 30) };
})()
