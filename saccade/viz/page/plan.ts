// The memory between the kernels of a computation: which buffer lies where, from which kernel to which; what
// forward keeps for backward crosses the line of the loss.

import { GraphBuffer, Kernels, view } from "./api";
import { bytes, colour, fit, h, hue, isDark, redrawn, replace, table } from "./dom";
import { go } from "./route";

const LEFT = 70;
const BOTTOM = 26;

export async function plan(box: HTMLElement, key: string, computation: number): Promise<void> {
  const data = await view<Kernels>(key, "kernels", { computation });
  const between = data.buffers.filter((each) => each.role === "between" && (each.writers.length || each.readers.length));
  const kept = between.filter((each) => each.kept);
  const canvas = h("canvas", { class: "chart small", role: "img", "aria-label": `Plan of the memory between kernels: ${between.length} buffers over ${data.kernels.length} kernels, ${kept.length} of them kept for backward` });
  const loss = data.kernels.findIndex((kernel) => kernel.phase === "backward");
  replace(box,
    h("p", { class: "quiet" }, `Where each of ${between.length} buffers lies, from the kernel that makes it to the last that reads it`, loss >= 0 ? "; the line is the loss:" : ":"),
    canvas,
    kept.length ? [h("h3", {}, `Kept for backward: ${bytes(kept.reduce((sum, each) => sum + each.bytes, 0))} in ${kept.length} buffers`), keptTable(data, kept, key, computation)] : null);
  redrawn(canvas, () => draw(canvas, between, data.kernels.length, loss));
}

function keptTable(data: Kernels, kept: GraphBuffer[], key: string, computation: number): HTMLElement {
  const name = (n: number): string => data.kernels[n]?.name ?? "";
  const back = (each: GraphBuffer): number[] => each.readers.filter((n) => data.kernels[n]?.phase === "backward");
  return table(kept, [
    { name: "made by", cell: (each) => `${each.writers[0]} ${name(each.writers[0])}`, key: (each) => each.writers[0] },
    { name: "bytes", number: true, cell: (each) => bytes(each.bytes), key: (each) => each.bytes },
    { name: "read in backward by", cell: (each) => back(each).map((n) => `${n} ${name(n)}`).join(", "), key: (each) => back(each)[0] ?? 0 },
    { name: "line", cell: (each) => h("span", { class: "mono quiet" }, each.line), key: (each) => each.line },
  ], (each) => go(`#/${key}/kernels/${computation}/${each.writers[0]}`), "Buffers that forward keeps for backward", 1);
}

function draw(canvas: HTMLCanvasElement, between: GraphBuffer[], kernels: number, loss: number): void {
  const context = fit(canvas);
  const [width, height] = [canvas.clientWidth - LEFT, canvas.clientHeight - BOTTOM];
  const high = Math.max(1, ...between.map((each) => each.offset + each.bytes));
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  context.font = "11px ui-sans-serif, system-ui, sans-serif";
  const step = width / Math.max(1, kernels);
  for (const each of between) {
    const users = [...each.writers, ...each.readers];
    const [first, last] = [Math.min(...users), Math.max(...users)];
    const [top, bottom] = [height * (1 - (each.offset + each.bytes) / high), height * (1 - each.offset / high)];
    context.fillStyle = each.kept ? colour("kept") : `hsl(${hue(each.name)} 45% ${isDark() ? 40 : 68}%)`;
    context.fillRect(LEFT + first * step, top, (last - first + 1) * step - 1, Math.max(1, bottom - top - 1));
  }
  if (loss >= 0) {
    context.fillStyle = colour("ink");
    context.fillRect(LEFT + loss * step - 1, 0, 1.5, height);
    context.textAlign = loss * step > width / 2 ? "right" : "left";
    context.fillText("backward begins", LEFT + loss * step + (loss * step > width / 2 ? -5 : 4), 10);
  }
  context.fillStyle = colour("quiet");
  context.textAlign = "right";
  context.fillText(bytes(high), LEFT - 8, 10);
  context.fillText("0", LEFT - 8, height);
  context.textAlign = "left";
  context.fillText("kernel 0", LEFT, height + 18);
  context.textAlign = "right";
  context.fillText(`kernel ${kernels - 1}`, LEFT + width, height + 18);
}
