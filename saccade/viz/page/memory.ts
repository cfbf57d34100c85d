// Memory: what is live over time, the peak, and every buffer with its maker and readers.

import { ComputationSummary, HeldBuffer, Memory, view } from "./api";
import { TimeAxis, movable } from "./axis";
import { bytes, colour, fit, h, hue, isDark, redrawn, replace, seconds, table } from "./dom";
import { plan } from "./plan";
import { go } from "./route";

const LEFT = 70;
const BOTTOM = 26;

export async function memory(box: HTMLElement, key: string, computations: ComputationSummary[], parts: string[]): Promise<void> {
  const data = await view<Memory>(key, "memory", parts[0] ? { device: parts[0] } : {});
  if (!data.buffers.length) {
    replace(box, h("p", { class: "quiet pad" }, "Nothing was allocated while this was recorded."));
    return;
  }
  const details = h("section", { class: "details", "aria-live": "polite" });
  const devices = h("select", { "aria-label": "Device", onchange: () => go(`#/${key}/memory/${encodeURIComponent(devices.value)}`) },
    data.devices.map((each) => h("option", { value: each.name, selected: each.name === data.device }, `${each.name}, peak ${bytes(each.peak)}`)));
  const canvas = h("canvas", { class: "chart", tabindex: 0, role: "img", "aria-label": `Live memory of ${data.device} over time: ${data.buffers.length} buffers, at most ${bytes(data.peak.bytes)}. Plus and minus zoom, arrows move.` });
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  replace(box,
    h("div", { class: "bar" }, devices,
      h("div", { class: "figures-row" },
        h("div", { class: "figure" }, h("span", {}, "peak"), h("b", {}, bytes(data.peak.bytes)), h("small", { class: "quiet" }, `at ${seconds(data.peak.time)}`)),
        h("div", { class: "figure" }, h("span", {}, "buffers"), h("b", {}, String(data.buffers.length)), data.left_out ? h("small", { class: "quiet" }, `${data.left_out} small ones not drawn`) : null),
        keptFigure(data)),
      h("span", { class: "legend" }, h("i", { class: "result" }), " result ", h("i", { class: "given" }), " given by the program ", h("i", { class: "arena" }), " between kernels ", h("i", { class: "kept" }), " kept by forward for backward")),
    h("figure", { class: "graph-box" }, canvas, tip),
    h("div", { class: "halves" },
      h("section", {}, h("h3", {}, "Live at the peak"), table(data.peak.live, columns(), (row) => show(row), "Buffers live at the peak", 1)),
      details));
  const chart = new Chart(canvas, data);
  const soon = redrawn(canvas, () => chart.draw());
  movable(canvas, chart.axis, LEFT, soon, (x, y, click) => {
    const found = chart.at(x, y);
    tip.hidden = !found;
    if (found) {
      tip.textContent = `${bytes(found.bytes)}  ${name(found)}  ${found.line}`;
      tip.style.left = `${Math.min(x + 12, canvas.clientWidth - 240)}px`;
      tip.style.top = `${y + 14}px`;
    }
    if (chart.hovered !== found) {
      chart.hovered = found;
      soon();
    }
    if (click && found) show(found);
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));

  function show(buffer: HeldBuffer): void {
    chart.chosen = buffer;
    soon();
    const until = buffer.end === null ? "still live at the end" : `freed at ${seconds(buffer.end)}, after ${seconds(buffer.end - buffer.start)}`;
    const computation = (n: number): HTMLElement => h("a", { href: `#/${key}/kernels/${n}` }, `computation ${n}`);
    replace(details,
      h("h3", {}, `${bytes(buffer.bytes)} `, h("small", { class: "quiet" }, name(buffer))),
      h("dl", {},
        h("dt", {}, "from"), h("dd", {}, `${seconds(buffer.start)}, ${until}`),
        h("dt", {}, "made by"), h("dd", {}, buffer.kind === "given" ? "the program, outside of kernels" : [buffer.maker ? `${buffer.maker} of ` : "", computation(buffer.computation)]),
        h("dt", {}, "line"), h("dd", { class: "mono" }, buffer.line || "unknown"),
        buffer.kept ? [h("dt", {}, "kept"), h("dd", {}, `${bytes(buffer.kept)} of it by forward for backward`)] : null,
        h("dt", {}, "read by"), h("dd", {}, buffer.readers.length ? buffer.readers.map((each) => h("span", { class: "reader" }, computation(each.computation), each.times > 1 ? ` × ${each.times} ` : " ")) : "no computation")),
      buffer.kind === "arena" ? h("div", { class: "plan" }) : null);
    if (buffer.kind === "arena") void plan(details.querySelector(".plan") as HTMLElement, key, buffer.computation);
  }

  show(data.peak.live[0] ?? data.buffers[0]);
  if (!computations.length) details.remove();
}

function name(buffer: HeldBuffer): string {
  return buffer.kind === "arena" ? `between the kernels of computation ${buffer.computation}` : buffer.kind === "given" ? `input ${buffer.name} of computation ${buffer.computation}` : `result ${buffer.name} of ${buffer.maker || `computation ${buffer.computation}`}`;
}

/** How much forward keeps for backward, of the computation that keeps most. */
function keptFigure(data: Memory): HTMLElement | null {
  const most = Math.max(0, ...data.buffers.map((each) => each.kept));
  return most ? h("div", { class: "figure" }, h("span", {}, "kept for backward"), h("b", {}, bytes(most)), h("small", { class: "quiet" }, "at most at once")) : null;
}

function columns() {
  return [
    { name: "buffer", cell: (row: HeldBuffer) => name(row), key: (row: HeldBuffer) => name(row) },
    { name: "bytes", number: true, cell: (row: HeldBuffer) => bytes(row.bytes), key: (row: HeldBuffer) => row.bytes },
    { name: "line", cell: (row: HeldBuffer) => h("span", { class: "mono quiet" }, row.line), key: (row: HeldBuffer) => row.line },
  ];
}

class Chart {
  readonly axis: TimeAxis;
  hovered: HeldBuffer | null = null;
  chosen: HeldBuffer | null = null;
  private readonly high: number;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly data: Memory,
  ) {
    this.axis = new TimeAxis(Math.min(...data.buffers.map((each) => each.start)), data.last);
    let high = data.peak.bytes;
    for (const each of data.buffers) high = Math.max(high, each.offset + each.bytes);
    this.high = high * 1.08 || 1;
  }

  private y(value: number): number {
    return (this.canvas.clientHeight - BOTTOM) * (1 - value / this.high);
  }

  at(x: number, y: number): HeldBuffer | null {
    const time = this.axis.time(x - LEFT, this.canvas.clientWidth - LEFT);
    const pixel = (this.axis.to - this.axis.from) / (this.canvas.clientWidth - LEFT);
    for (const each of this.data.buffers) {
      const end = Math.max(each.end ?? this.data.last, each.start + 2 * pixel);
      if (time >= each.start && time <= end && y <= this.y(each.offset) && y >= this.y(each.offset + each.bytes)) return each;
    }
    return null;
  }

  draw(): void {
    const context = fit(this.canvas);
    const [all, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const width = all - LEFT;
    context.clearRect(0, 0, all, height);
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
    frame(context, this.axis, width, height, this.high, (value) => this.y(value));
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width, height - BOTTOM);
    context.clip();
    const dark = isDark();
    for (const each of this.data.buffers) {
      const x = LEFT + this.axis.x(each.start, width);
      const end = LEFT + this.axis.x(each.end ?? this.data.last, width);
      if (end < LEFT || x > all) continue;
      const [top, bottom] = [this.y(each.offset + each.bytes), this.y(each.offset)];
      const tone = hue(`${each.computation} ${each.name}`) % 40;
      context.fillStyle = each.kind === "given" ? colour("given") : each.kind === "arena" ? colour("arena") : `hsl(${198 + tone * 0.6} 44% ${(dark ? 38 : 60) + (tone % 7)}%)`;
      context.fillRect(x, top, Math.max(1.5, end - x), Math.max(0.7, bottom - top));
      if (each.kept) {
        context.fillStyle = colour("kept");
        const share = each.kept / each.bytes;
        context.fillRect(x, bottom - (bottom - top) * share, Math.max(1.5, end - x), Math.max(0.7, (bottom - top) * share));
      }
      if (bottom - top > 3 && end - x > 3) {
        context.strokeStyle = colour("paper");
        context.lineWidth = 0.7;
        context.strokeRect(x, top, end - x, bottom - top);
      }
      if (each === this.hovered || each === this.chosen) {
        context.strokeStyle = colour("ink");
        context.lineWidth = 2;
        context.strokeRect(x, top, Math.max(2, end - x), Math.max(2, bottom - top));
      }
    }
    this.curve(context, width);
    context.restore();
  }

  private curve(context: CanvasRenderingContext2D, width: number): void {
    context.strokeStyle = colour("accent");
    context.lineWidth = 1.5;
    context.beginPath();
    let last = 0;
    for (const [time, value] of this.data.curve) {
      const x = LEFT + this.axis.x(time, width);
      context.lineTo(x, this.y(last));
      context.lineTo(x, this.y(value));
      last = value;
    }
    context.lineTo(LEFT + this.axis.x(this.data.last, width), this.y(last));
    context.stroke();
    const [x, y] = [LEFT + this.axis.x(this.data.peak.time, width), this.y(this.data.peak.bytes)];
    context.fillStyle = colour("removed");
    context.beginPath();
    context.arc(x, y, 4, 0, 7);
    context.fill();
    context.fillStyle = colour("ink");
    const text = `peak ${bytes(this.data.peak.bytes)}`;
    context.fillText(text, x + 8 + context.measureText(text).width > LEFT + width ? x - 8 - context.measureText(text).width : x + 8, Math.max(12, y - 6));
  }
}

function frame(context: CanvasRenderingContext2D, axis: TimeAxis, width: number, height: number, high: number, y: (value: number) => number): void {
  context.lineWidth = 1;
  context.strokeStyle = colour("line");
  context.fillStyle = colour("quiet");
  context.textAlign = "right";
  const power = 10 ** Math.floor(Math.log10(high / 4));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => high / s <= 5) ?? power;
  for (let value = 0; value <= high; value += step) {
    context.beginPath();
    context.moveTo(LEFT, y(value));
    context.lineTo(LEFT + width, y(value));
    context.stroke();
    context.fillText(bytes(value), LEFT - 8, Math.max(10, y(value) + 4));
  }
  context.textAlign = "left";
  for (const tick of axis.ticks(Math.max(2, width / 110))) {
    const x = LEFT + axis.x(tick.time, width);
    context.fillText(tick.text, x + 3, height - 8);
    context.fillRect(x, height - BOTTOM, 1, 6);
  }
}
