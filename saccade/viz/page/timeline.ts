// Timeline: what ran when, on which queue, and when Python compiled. Events are kept as columns and drawn by
// binary search, so that a hundred thousand cost no more than those that are seen.

import { Chunk, view } from "./api";
import { TimeAxis, movable } from "./axis";
import { colour, fit, h, hue, isDark, redrawn, replace, seconds } from "./dom";

const LEFT = 120;
const TOP = 28;
const HIGH = 22;
const MOST_EVENTS = 2_000_000;
/** Chunks that are asked for before they are needed. */
const AHEAD = 4;

/** Events of one row as columns, in the order of time. */
class Lane {
  size = 0;
  start = new Float64Array(256);
  end = new Float64Array(256);
  name = new Int32Array(256);
  computation = new Int32Array(256);
  kernel = new Int32Array(256);
  /** the latest end up to here, by which those that reach into a window are found */
  latest = new Float64Array(0);
  private sorted = true;

  constructor(
    readonly device: string,
    readonly row: string,
    readonly depth: number,
  ) {}

  add(start: number, end: number, name: number, computation: number, kernel: number): void {
    const n = this.size++;
    if (n === this.start.length) this.each((column) => doubled(column));
    if (n && start < this.start[n - 1]) this.sorted = false;
    this.start[n] = start;
    this.end[n] = end;
    this.name[n] = name;
    this.computation[n] = computation;
    this.kernel[n] = kernel;
  }

  /** Put what was added into the order of time. */
  settle(): void {
    if (this.latest.length === this.size) return;
    if (!this.sorted) {
      const order = Uint32Array.from({ length: this.size }, (_, n) => n).sort((a, b) => this.start[a] - this.start[b]);
      this.each((column) => permuted(column, order));
      this.sorted = true;
    }
    this.latest = new Float64Array(this.size);
    let latest = -Infinity;
    for (let n = 0; n < this.size; n++) this.latest[n] = latest = Math.max(latest, this.end[n]);
  }

  private each(change: <C extends Column>(column: C) => C): void {
    this.start = change(this.start);
    this.end = change(this.end);
    this.name = change(this.name);
    this.computation = change(this.computation);
    this.kernel = change(this.kernel);
  }

  /** The first event that may reach beyond a time. */
  from(time: number): number {
    let [low, high] = [0, this.latest.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.latest[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

type Column = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

function doubled<C extends Column>(column: C): C {
  const found = new (column.constructor as new (length: number) => C)(2 * column.length);
  found.set(column);
  return found;
}

function permuted<C extends Column>(column: C, order: Uint32Array): C {
  const found = new (column.constructor as new (length: number) => C)(column.length);
  order.forEach((from, to) => (found[to] = column[from]));
  return found;
}

export async function timeline(box: HTMLElement, key: string): Promise<void> {
  const began = performance.now();
  const about = await view<{ chunks: number; spans: number; first: number; last: number }>(key, "timeline");
  if (!about.spans) {
    replace(box, h("p", { class: "quiet pad" }, "Nothing ran while this was recorded."));
    return;
  }
  const canvas = h("canvas", { class: "chart tall", tabindex: 0, role: "img", "aria-label": `Timeline of ${about.spans} events. Plus and minus or w and s zoom, arrows or a and d move, 0 shows all.` });
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  const details = h("section", { class: "details", "aria-live": "polite" }, h("p", { class: "quiet" }, "Wheel or w and s to zoom, drag or a and d to move, 0 for all of it. Click an event."));
  const told = h("span", { class: "quiet", role: "status" }, "loading…");
  replace(box,
    h("div", { class: "bar" }, told, h("a", { href: `api/${key}/perfetto`, download: "timeline.json" }, "export for Perfetto")),
    h("figure", { class: "graph-box" }, canvas, tip), details);
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const lanes: Lane[] = [];
  const axis = new TimeAxis(about.first * 1e-9, about.last * 1e-9);
  let scrolled = 0;
  let hovered: { lane: Lane; n: number } | null = null;
  let slowest = 0;
  const soon = redrawn(canvas, draw);

  function laneOf(device: string, row: string, depth: number): Lane {
    let lane = lanes.find((each) => each.device === device && each.row === row && each.depth === depth);
    if (!lane) lanes.push((lane = new Lane(device, row, depth)));
    return lane;
  }

  function add(chunk: Chunk): void {
    const own = chunk.names.map((name) => {
      let number = numbers.get(name);
      if (number === undefined) {
        number = names.push(name) - 1;
        numbers.set(name, number);
      }
      return number;
    });
    const rows: Lane[][] = chunk.rows.map(() => []);
    for (let n = 0; n < chunk.start.length; n++) {
      const [row, depth] = [chunk.row[n], chunk.depth[n]];
      const start = chunk.start[n] * 1e-9;
      (rows[row][depth] ??= laneOf(...chunk.rows[row], depth)).add(start, start + chunk.duration[n] * 1e-9, own[chunk.name[n]], chunk.computation[n], chunk.kernel[n]);
    }
    lanes.sort((a, b) => rank(a) - rank(b) || (a.device + a.row < b.device + b.row ? -1 : a.device + a.row > b.device + b.row ? 1 : a.depth - b.depth));
  }

  function draw(): void {
    const start = performance.now();
    const context = fit(canvas);
    const [all, height] = [canvas.clientWidth, canvas.clientHeight];
    const width = all - LEFT;
    context.clearRect(0, 0, all, height);
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
    context.textBaseline = "middle";
    const [ink, line, quiet] = [colour("ink"), colour("line"), colour("quiet")];
    const dark = isDark();
    const fills = names.map((name) => `hsl(${hue(name)} 38% ${dark ? 36 : 76}%)`);
    lanes.forEach((lane, row) => {
      const y = TOP + row * (HIGH + 4) - scrolled;
      if (y < TOP - HIGH || y > height) return;
      context.fillStyle = line;
      context.fillRect(LEFT, y + HIGH + 1, width, 1);
      let painted = LEFT - 1;
      for (let n = lane.from(axis.from); n < lane.latest.length && lane.start[n] <= axis.to; n++) {
        const right = LEFT + axis.x(lane.end[n], width);
        // what lies within a pixel that is painted already cannot be seen
        if (right <= painted) continue;
        const left = Math.max(LEFT, LEFT + axis.x(lane.start[n], width));
        const wide = Math.max(1, right - left);
        context.fillStyle = fills[lane.name[n]];
        context.fillRect(left, y, wide, HIGH);
        painted = Math.max(painted, Math.floor(left + wide));
        if (wide > 34) label(context, names[lane.name[n]], left, y, Math.min(wide, all - left), ink);
        if (hovered && hovered.lane === lane && hovered.n === n) {
          context.strokeStyle = ink;
          context.strokeRect(left, y, wide, HIGH);
        }
      }
      context.fillStyle = colour("panel");
      context.fillRect(0, y - 2, LEFT - 4, HIGH + 4);
      context.fillStyle = lane.depth ? quiet : ink;
      context.fillText(lane.depth ? "" : `${lane.device} ${lane.row}`, 8, y + HIGH / 2, LEFT - 14);
    });
    context.fillStyle = colour("panel");
    context.fillRect(0, 0, all, TOP - 4);
    context.fillStyle = quiet;
    for (const tick of axis.ticks(Math.max(2, width / 100))) {
      const x = LEFT + axis.x(tick.time, width);
      context.fillText(tick.text, x + 4, 12);
      context.fillRect(x, 4, 1, 16);
    }
    slowest = Math.max(slowest, performance.now() - start);
    canvas.dataset.slowest = slowest.toFixed(1);
  }

  function at(x: number, y: number): { lane: Lane; n: number } | null {
    const lane = lanes[Math.floor((y - TOP + scrolled) / (HIGH + 4))];
    if (!lane || x < LEFT) return null;
    const width = canvas.clientWidth - LEFT;
    const time = axis.time(x - LEFT, width);
    const pixel = (axis.to - axis.from) / width;
    let best = -1;
    for (let n = lane.from(time - pixel); n < lane.latest.length && lane.start[n] <= time + pixel; n++) {
      if (best < 0 || lane.end[n] - lane.start[n] > lane.end[best] - lane.start[best]) if (lane.end[n] >= time - pixel) best = n;
    }
    return best < 0 ? null : { lane, n: best };
  }

  movable(canvas, axis, LEFT, soon, (x, y, click) => {
    const found = at(x, y);
    tip.hidden = !found;
    if (found) {
      const { lane, n } = found;
      tip.textContent = `${names[lane.name[n]]}  ${seconds(lane.end[n] - lane.start[n])}`;
      tip.style.left = `${Math.min(x + 12, canvas.clientWidth - 240)}px`;
      tip.style.top = `${y + 14}px`;
    }
    if (found?.n !== hovered?.n || found?.lane !== hovered?.lane) {
      hovered = found;
      soon();
    }
    if (click && found) show(found.lane, found.n);
  }, (by) => (scrolled = Math.max(0, Math.min(scrolled + by, lanes.length * (HIGH + 4) + TOP - canvas.clientHeight))));
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));

  function show(lane: Lane, n: number): void {
    const kernel = lane.computation[n] >= 0;
    replace(details,
      h("h3", {}, names[lane.name[n]]),
      h("dl", {},
        h("dt", {}, "on"), h("dd", {}, `${lane.device}, ${lane.row}`),
        h("dt", {}, "from"), h("dd", {}, `${seconds(lane.start[n])} for ${seconds(lane.end[n] - lane.start[n])}`),
        kernel ? [h("dt", {}, "kernel"), h("dd", {}, h("a", { href: `#/${key}/kernels/${lane.computation[n]}/${lane.kernel[n]}` }, `kernel ${lane.kernel[n]} of computation ${lane.computation[n]}`))] : null));
  }

  let loaded = 0;
  const ahead = new Map<number, Promise<Chunk>>();
  for (let number = 0; number < about.chunks && loaded < MOST_EVENTS; number++) {
    if (!canvas.isConnected) return;
    for (let n = number; n < Math.min(about.chunks, number + AHEAD); n++) if (!ahead.has(n)) ahead.set(n, view<Chunk>(key, "chunk", { number: n }));
    const chunk = await (ahead.get(number) as Promise<Chunk>);
    ahead.delete(number);
    add(chunk);
    loaded += chunk.start.length;
    if (number === 0 || number % 64 === 63) {
      for (const lane of lanes) lane.settle();
      draw();
      if (number === 0) canvas.dataset.first = String(Math.round(performance.now() - began));
    }
  }
  for (const lane of lanes) lane.settle();
  canvas.style.height = `${Math.min(Math.max(180, TOP + lanes.length * (HIGH + 4) + 12), Math.round(innerHeight * 0.62))}px`;
  slowest = 0;
  draw();
  canvas.dataset.drawn = String(loaded);
  canvas.dataset.milliseconds = String(Math.round(performance.now() - began));
  told.textContent = `${loaded.toLocaleString("en")} events${loaded < about.spans ? ` of ${about.spans.toLocaleString("en")}` : ""} in ${seconds((about.last - about.first) * 1e-9)}`;
}

function rank(lane: Lane): number {
  return lane.device === "host" ? (lane.row === "compiler" ? 2 : 1) : 0;
}

function label(context: CanvasRenderingContext2D, text: string, x: number, y: number, width: number, ink: string): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width - 2, HIGH);
  context.clip();
  context.fillStyle = ink;
  context.fillText(text, x + 5, y + HIGH / 2);
  context.restore();
}
