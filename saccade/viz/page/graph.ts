// A graph on a canvas: pan, zoom, hover, select, find. Nodes and edges outside of what is seen are not drawn.

import { colour, fit, h, hue, isDark, redrawn } from "./dom";
import { layoutInWorker } from "./layout";

export interface GraphNode {
  /** what two graphs have in common if they show the same thing */
  id: number;
  label: string;
  detail: string;
  /** 0..1 from cool to hot; nothing: by group */
  heat?: number;
  group: string;
  mark?: "removed" | "added";
  src: number[];
  /** sources that are kept for a long time: their edges stand out */
  kept?: number[];
  /** an order that sources come first in, where edges may go back: those are no part of the layout */
  rank?: number;
}

const WIDE = 132;
const HIGH = 36;
const GAP_X = 148;
const GAP_Y = 60;
/** Below this scale names cannot be read. */
const READABLE = 0.42;

export class GraphView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private nodes: GraphNode[] = [];
  private places = new Map<number, number>();
  private x: Float32Array = new Float32Array(0);
  private y: Float32Array = new Float32Array(0);
  private from = new Int32Array(0);
  private to = new Int32Array(0);
  private long = new Uint8Array(0);
  private users: number[][] = [];
  private scale = 1;
  private left = 0;
  private top = 0;
  private found = new Set<number>();
  private hovered = -1;
  selected = -1;
  private soon: () => void = () => {};
  private readonly tip = h("div", { class: "tip", role: "status", hidden: true });

  constructor(
    readonly name: string,
    private readonly pick: (id: number) => void,
  ) {
    this.canvas = h("canvas", { class: "graph", tabindex: 0, role: "img", "aria-label": name });
    this.element = h("div", { class: "graph-box" }, this.canvas, this.tip, this.buttons());
    this.listen();
  }

  /** Lay out and draw; resolves at the first picture. A graph that is too large to read is shown around `focus`. */
  async show(nodes: GraphNode[], focus = -1): Promise<void> {
    this.nodes = nodes;
    this.places = new Map(nodes.map((node, place) => [node.id, place]));
    const from: number[] = [];
    const to: number[] = [];
    const long: boolean[] = [];
    const back = new Set<number>();
    this.users = nodes.map(() => []);
    nodes.forEach((node, place) => {
      for (const source of node.src) {
        const other = this.places.get(source);
        if (other === undefined) continue;
        if ((nodes[other].rank ?? 0) > (node.rank ?? 0)) back.add(from.length);
        from.push(other);
        to.push(place);
        long.push(Boolean(node.kept?.includes(source)));
        this.users[other].push(node.id);
      }
    });
    this.from = Int32Array.from(from);
    this.to = Int32Array.from(to);
    this.long = Uint8Array.from(long, Number);
    this.canvas.setAttribute("aria-label", `${this.name}: ${nodes.length} nodes, ${from.length} edges. Arrow keys move along edges, plus and minus zoom, 0 shows all.`);
    const answer = await layoutInWorker(nodes.length, this.from.filter((_, e) => !back.has(e)), this.to.filter((_, e) => !back.has(e)), GAP_X, GAP_Y);
    this.x = answer.x;
    this.y = answer.y;
    this.all();
    const near = this.places.get(focus) ?? nodes.findIndex((node) => node.mark);
    if (this.scale < READABLE && nodes.length) {
      this.scale = 0.75;
      this.centre(Math.max(0, near));
    }
    this.soon = redrawn(this.canvas, () => this.draw());
    this.draw();
    this.canvas.dataset.drawn = String(nodes.length);
  }

  has(id: number): boolean {
    return this.places.has(id);
  }

  usersOf(id: number): number[] {
    const place = this.places.get(id);
    return place === undefined ? [] : this.users[place];
  }

  select(id: number, centre = true): void {
    this.selected = id;
    const place = this.places.get(id);
    if (centre && place !== undefined) {
      if (this.scale < 0.5) this.scale = 0.8;
      this.centre(place);
    }
    this.soon();
  }

  private centre(place: number): void {
    this.left = (this.canvas.clientWidth || 600) / 2 - this.x[place] * this.scale;
    this.top = (this.canvas.clientHeight || 400) / 2 - this.y[place] * this.scale;
  }

  find(match: (node: GraphNode) => boolean): number[] {
    this.found = new Set(this.nodes.filter(match).map((node) => node.id));
    this.soon();
    return [...this.found];
  }

  /** All of it, or as much as can be read of what matters: the results. */
  all(): void {
    if (!this.nodes.length) return;
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let n = 0; n < this.x.length; n++) {
      x0 = Math.min(x0, this.x[n]);
      x1 = Math.max(x1, this.x[n]);
      y0 = Math.min(y0, this.y[n]);
      y1 = Math.max(y1, this.y[n]);
    }
    const [width, height] = [this.canvas.clientWidth || 600, this.canvas.clientHeight || 400];
    this.scale = Math.min(1.2, width / (x1 - x0 + WIDE + 40), height / (y1 - y0 + HIGH + 40));
    this.left = width / 2 - ((x0 + x1) / 2) * this.scale;
    this.top = height / 2 - ((y0 + y1) / 2) * this.scale;
    this.soon();
  }

  private zoom(factor: number, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2): void {
    const scale = Math.min(4, Math.max(0.004, this.scale * factor));
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.soon();
  }

  private buttons(): HTMLElement {
    const one = (text: string, label: string, go: () => void) => h("button", { type: "button", "aria-label": label, title: label, onclick: go }, text);
    return h("div", { class: "zoom" }, one("+", "Zoom in", () => this.zoom(1.5)), one("−", "Zoom out", () => this.zoom(1 / 1.5)), one("⤢", "Show all", () => this.all()));
  }

  private at(x: number, y: number): number {
    const [gx, gy] = [(x - this.left) / this.scale, (y - this.top) / this.scale];
    const slack = Math.max(0, 4 / this.scale - HIGH / 2);
    for (let n = this.nodes.length - 1; n >= 0; n--) {
      if (Math.abs(this.x[n] - gx) < WIDE / 2 + slack && Math.abs(this.y[n] - gy) < HIGH / 2 + slack) return this.nodes[n].id;
    }
    return -1;
  }

  private listen(): void {
    const { canvas } = this;
    let held: { x: number; y: number; moved: number } | null = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, y: event.clientY, moved: 0 };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
        held = { x: event.clientX, y: event.clientY, moved: held.moved + Math.abs(dx) + Math.abs(dy) };
        this.left += dx;
        this.top += dy;
        this.soon();
      } else this.hover(event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerup", (event) => {
      const clicked = held !== null && held.moved < 5;
      held = null;
      if (clicked) {
        const id = this.at(event.offsetX, event.offsetY);
        if (id >= 0) this.pick(id);
      }
    });
    canvas.addEventListener("pointerleave", () => this.hover(-1e6, -1e6));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const place = this.places.get(this.selected);
    const move = (ids: number[]) => ids.length > 0 && this.pick(ids[0]);
    if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.all();
    else if (place === undefined && event.key.startsWith("Arrow")) move(this.nodes.slice(-1).map((node) => node.id));
    else if (place !== undefined && event.key === "ArrowUp") move(this.nodes[place].src.filter((id) => this.places.has(id)));
    else if (place !== undefined && event.key === "ArrowDown") move(this.users[place]);
    else if (place !== undefined && (event.key === "ArrowLeft" || event.key === "ArrowRight")) move(this.beside(place, event.key === "ArrowRight"));
    else return;
    event.preventDefault();
  }

  private beside(place: number, right: boolean): number[] {
    let best = -1;
    for (let n = 0; n < this.nodes.length; n++) {
      if (n === place || Math.abs(this.y[n] - this.y[place]) > 1) continue;
      const gap = (this.x[n] - this.x[place]) * (right ? 1 : -1);
      if (gap > 0 && (best < 0 || gap < Math.abs(this.x[best] - this.x[place]))) best = n;
    }
    return best < 0 ? [] : [this.nodes[best].id];
  }

  private hover(x: number, y: number): void {
    const id = this.at(x, y);
    if (id === this.hovered) return;
    this.hovered = id;
    const place = this.places.get(id);
    this.tip.hidden = place === undefined;
    this.canvas.style.cursor = place === undefined ? "grab" : "pointer";
    if (place !== undefined) {
      const node = this.nodes[place];
      this.tip.textContent = `${node.label}  ${node.detail}`;
      this.tip.style.left = `${Math.min(x + 12, Math.max(0, this.canvas.clientWidth - 260))}px`;
      this.tip.style.top = `${y + 16}px`;
    }
    this.soon();
  }

  private draw(): void {
    const context = fit(this.canvas);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const { scale, left, top } = this;
    context.clearRect(0, 0, width, height);
    this.edges(context, width, height);
    const dark = isDark();
    const readable = scale >= READABLE;
    const [w, hh] = [Math.max(2, WIDE * scale), Math.max(2, HIGH * scale)];
    const ink = colour("ink");
    const colours = { removed: colour("removed"), added: colour("added"), accent: colour("accent"), found: colour("found") };
    context.textBaseline = "middle";
    const searching = this.found.size > 0;
    for (let n = 0; n < this.nodes.length; n++) {
      const [x, y] = [this.x[n] * scale + left, this.y[n] * scale + top];
      if (x < -w || x > width + w || y < -hh || y > height + hh) continue;
      const node = this.nodes[n];
      const chosen = node.id === this.selected;
      const found = this.found.has(node.id);
      context.globalAlpha = searching && !found && !chosen ? 0.35 : 1;
      const body = node.heat !== undefined ? `hsl(${215 - 195 * node.heat} ${60 + 20 * node.heat}% ${dark ? 26 + 14 * node.heat : 90 - 22 * node.heat}%)` : `hsl(${hue(node.group)} 42% ${dark ? 24 : 92}%)`;
      context.fillStyle = readable ? body : node.mark ? colours[node.mark] : `hsl(${hue(node.group)} 38% ${dark ? 46 : 66}%)`;
      if (!readable && node.heat !== undefined) context.fillStyle = `hsl(${215 - 195 * node.heat} 70% ${dark ? 46 : 56}%)`;
      box(context, x - w / 2, y - hh / 2, w, hh, readable ? 6 * scale : 1);
      context.fill();
      if (node.mark || chosen || found || node.id === this.hovered) {
        context.lineWidth = chosen ? 3 : 2;
        context.strokeStyle = chosen ? colours.accent : found ? colours.found : node.mark ? colours[node.mark] : ink;
        context.stroke();
      }
      if (!readable) continue;
      context.save();
      context.beginPath();
      context.rect(x - w / 2, y - hh / 2, w, hh);
      context.clip();
      context.fillStyle = ink;
      context.font = `600 ${12 * scale}px ui-sans-serif, system-ui, sans-serif`;
      context.fillText(node.label, x - w / 2 + 8 * scale, y - 7 * scale);
      context.globalAlpha *= 0.75;
      context.font = `${10.5 * scale}px ui-monospace, monospace`;
      context.fillText(node.detail, x - w / 2 + 8 * scale, y + 9 * scale);
      context.restore();
    }
    context.globalAlpha = 1;
    if (!this.nodes.length) {
      context.fillStyle = ink;
      context.fillText("nothing here", 16, 24);
    }
  }

  private edges(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { scale, left, top } = this;
    const half = (HIGH / 2) * scale;
    const own = this.places.get(this.selected) ?? -1;
    const lines = new Path2D();
    const chosen = new Path2D();
    const kept = new Path2D();
    for (let e = 0; e < this.from.length; e++) {
      const [a, b] = [this.from[e], this.to[e]];
      const [x0, y0] = [this.x[a] * scale + left, this.y[a] * scale + top + half];
      const [x1, y1] = [this.x[b] * scale + left, this.y[b] * scale + top - half];
      if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > width || Math.max(y0, y1) < 0 || Math.min(y0, y1) > height) continue;
      const path = a === own || b === own ? chosen : this.long[e] ? kept : lines;
      path.moveTo(x0, y0);
      const bend = Math.min(30 * scale, (y1 - y0) / 2);
      if (scale > 0.2) path.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
      else path.lineTo(x1, y1);
    }
    context.strokeStyle = colour("edge");
    context.lineWidth = Math.max(0.3, Math.min(1.2, 1.6 * scale));
    context.stroke(lines);
    context.strokeStyle = colour("kept");
    context.lineWidth = Math.max(1, 2.4 * scale);
    context.stroke(kept);
    context.strokeStyle = colour("accent");
    context.lineWidth = 2;
    context.stroke(chosen);
  }
}

function box(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, radius: number): void {
  context.beginPath();
  if (radius > 1) context.roundRect(x, y, width, height, radius);
  else context.rect(x, y, width, height);
}
