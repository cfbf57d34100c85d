// Evidence of each object over the steps, as one module has it, with the decisions along the axis.

import { colour, fit, h, hue, isDark, replace } from "./dom";
import { Episode } from "./episode";

export const LINES = 8;
const LEFT = 44;

/** The objects whose curves are drawn, as columns of `module_evidence`: the one shown, the one reported, the strongest. */
export function lineOrder(episode: Episode, module: number): number[] {
  const columns = episode.evidence_of.map((_, n) => n);
  const most = columns.map((n) => Math.max(-Infinity, ...episode.module_evidence.map((row) => row[module][n] ?? -Infinity)));
  const named = columns.filter((n) => [episode.object, episode.detected].includes(episode.objects[episode.evidence_of[n]]));
  return [...new Set([...named, ...columns.sort((a, b) => most[b] - most[a])])].filter((n) => most[n] > -Infinity).slice(0, LINES);
}

export function tint(episode: Episode, object: number): string {
  const name = episode.objects[object];
  return name === episode.object ? colour("good") : name === episode.detected ? colour("bad") : `hsl(${hue(name)} 35% ${isDark() ? 62 : 55}%)`;
}

export function drawCurves(canvas: HTMLCanvasElement, episode: Episode, module: number, order: number[], now: number): void {
  const context = fit(canvas);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const bottom = height - 30;
  const last = Math.max(1, episode.steps_traced - 1);
  context.clearRect(0, 0, width, height);
  context.font = "11px ui-sans-serif, system-ui, sans-serif";
  const rows = episode.module_evidence.map((row) => row[module]);
  let [low, high] = [0, 1];
  for (const row of rows) for (const n of order) if (row[n] !== null) [low, high] = [Math.min(low, row[n] as number), Math.max(high, row[n] as number)];
  const x = (step: number) => LEFT + ((width - LEFT - 10) * step) / last;
  const y = (value: number) => bottom - ((bottom - 12) * (value - low)) / (high - low);
  axes(context, width, height, low, high, last, x, y);
  for (const n of [...order].reverse()) {
    const name = episode.objects[episode.evidence_of[n]];
    context.strokeStyle = tint(episode, episode.evidence_of[n]);
    context.lineWidth = name === episode.object || name === episode.detected ? 2.2 : 1.2;
    context.beginPath();
    let open = false;
    rows.forEach((row, step) => {
      const value = row[n];
      if (value === null) open = false;
      else if (open) context.lineTo(x(step), y(value));
      else {
        context.moveTo(x(step), y(value));
        open = true;
      }
    });
    context.stroke();
  }
  for (const each of episode.decisions.filter((one) => one.module === module && one.ending)) {
    context.fillStyle = each.object >= 0 ? tint(episode, each.object) : colour("quiet");
    context.beginPath();
    context.moveTo(x(each.step), bottom - 1);
    context.lineTo(x(each.step) - 4, bottom + 7);
    context.lineTo(x(each.step) + 4, bottom + 7);
    context.fill();
  }
  context.strokeStyle = colour("ink");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x(now), 4);
  context.lineTo(x(now), bottom);
  context.stroke();
}

function axes(context: CanvasRenderingContext2D, width: number, height: number, low: number, high: number, last: number, x: (step: number) => number, y: (value: number) => number): void {
  context.fillStyle = colour("quiet");
  context.strokeStyle = colour("line");
  context.lineWidth = 1;
  for (let k = 0; k <= 4; k++) {
    const value = low + ((high - low) * k) / 4;
    context.beginPath();
    context.moveTo(LEFT, y(value));
    context.lineTo(width - 10, y(value));
    context.stroke();
    context.textAlign = "right";
    context.fillText(value.toFixed(high - low > 20 ? 0 : 1), LEFT - 6, y(value) + 4);
  }
  context.textAlign = "center";
  const ticks = Math.min(6, last);
  for (let k = 0; k <= ticks; k++) {
    const step = Math.round((last * k) / Math.max(1, ticks));
    context.fillText(String(step + 1), x(step), height - 14);
  }
  context.fillText("step", (LEFT + width) / 2, height - 2);
}

/** The strongest objects at a step, with their evidence. */
export function ranks(list: HTMLElement, episode: Episode, module: number, now: number): void {
  const row = episode.module_evidence[now]?.[module] ?? [];
  const order = row.map((_, n) => n).filter((n) => row[n] !== null).sort((a, b) => (row[b] as number) - (row[a] as number)).slice(0, LINES);
  replace(list, order.map((n) => h("li", {}, h("i", { style: `background:${tint(episode, episode.evidence_of[n])}` }), h("span", {}, episode.objects[episode.evidence_of[n]]), h("b", {}, (row[n] as number).toFixed(1)))));
}
