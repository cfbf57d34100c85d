// A span of time on a canvas: zoom, pan, round ticks. Shared by memory and timeline.

import { seconds } from "./dom";

export class TimeAxis {
  from = 0;
  to = 1;

  constructor(
    public first: number,
    public last: number,
  ) {
    this.all();
  }

  all(): void {
    const slack = (this.last - this.first) * 0.01 || 1e-6;
    this.from = this.first - slack;
    this.to = this.last + slack;
  }

  x(time: number, width: number): number {
    return ((time - this.from) / (this.to - this.from)) * width;
  }

  time(x: number, width: number): number {
    return this.from + (x / width) * (this.to - this.from);
  }

  /** Never beyond a nanosecond across, nor out of what there is by more than its own length. */
  zoom(factor: number, at: number): void {
    const whole = (this.last - this.first || 1e-6) * 1.02;
    const span = Math.min(whole, Math.max(1e-9, (this.to - this.from) * factor));
    const share = (at - this.from) / (this.to - this.from);
    this.from = at - share * span;
    this.to = this.from + span;
    this.clamp();
  }

  pan(by: number): void {
    this.from += by;
    this.to += by;
    this.clamp();
  }

  private clamp(): void {
    const span = this.to - this.from;
    const slack = (this.last - this.first) * 0.01 || 1e-6;
    const low = this.first - slack;
    const high = Math.max(low, this.last + slack - span);
    this.from = Math.min(Math.max(this.from, low), high);
    this.to = this.from + span;
  }

  ticks(most: number): { time: number; text: string }[] {
    const span = this.to - this.from;
    const power = 10 ** Math.floor(Math.log10(span / most));
    const step = [1, 2, 5, 10].map((s) => s * power).find((s) => span / s <= most) ?? 10 * power;
    const found = [];
    for (let k = Math.ceil(this.from / step); k * step <= this.to && found.length < 50; k++) found.push({ time: k * step, text: tick(k * step, step) });
    return found;
  }
}

/** A time to as many places as the step between ticks needs. */
function tick(time: number, step: number): string {
  if (time === 0) return "0";
  for (const [scale, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]] as const) {
    if (Math.abs(step) >= scale || scale === 1e-9) return `${Number((time / scale).toFixed(0)).toLocaleString("en")} ${unit}`;
    if (Math.abs(step) >= scale / 1000 && Math.abs(time) >= scale && Math.abs(step) >= scale / 100) return `${(time / scale).toFixed(2)} ${unit}`;
  }
  return seconds(time);
}

/** Wheel and drag and keys on a canvas move an axis. `left` pixels at the left are no part of it. */
export function movable(canvas: HTMLCanvasElement, axis: TimeAxis, left: number, soon: () => void, hover: (x: number, y: number, click: boolean) => void, scroll?: (by: number) => void): void {
  const width = (): number => canvas.clientWidth - left;
  let held: { x: number; y: number; moved: number } | null = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) axis.pan(((event.deltaX || event.deltaY) / width()) * (axis.to - axis.from));
    else axis.zoom(Math.exp(event.deltaY * 0.0018), axis.time(event.offsetX - left, width()));
    soon();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, y: event.clientY, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return hover(event.offsetX, event.offsetY, false);
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    held = { x: event.clientX, y: event.clientY, moved: held.moved + Math.abs(dx) + Math.abs(dy) };
    axis.pan((-dx / width()) * (axis.to - axis.from));
    scroll?.(-dy);
    soon();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && held.moved < 5) hover(event.offsetX, event.offsetY, true);
    held = null;
  });
  canvas.addEventListener("keydown", (event) => {
    const span = axis.to - axis.from;
    const middle = (axis.to + axis.from) / 2;
    if (event.key === "ArrowLeft" || event.key === "a") axis.pan(-span * 0.2);
    else if (event.key === "ArrowRight" || event.key === "d") axis.pan(span * 0.2);
    else if (event.key === "+" || event.key === "=" || event.key === "w") axis.zoom(0.6, middle);
    else if (event.key === "-" || event.key === "s") axis.zoom(1 / 0.6, middle);
    else if (event.key === "0") axis.all();
    else return;
    event.preventDefault();
    soon();
  });
}
