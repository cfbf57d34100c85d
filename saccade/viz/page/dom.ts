// Elements, numbers for people, and colours of the theme.

type Child = Node | string | number | null | undefined | false | Child[];
type Props = Record<string, unknown>;

/** An element: `h("button", { class: "x", onclick: go }, "Go")`. Text is always text, never markup. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

export function bytes(value: number): string {
  return scaled(value, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]], "B");
}

export function count(value: number): string {
  return scaled(value, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]], "");
}

function scaled(value: number, units: [number, string][], last: string): string {
  for (const [scale, unit] of units) if (Math.abs(value) >= scale) return `${digits(value / scale)} ${unit}`;
  return `${digits(value)}${last ? ` ${last}` : ""}`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0 s";
  for (const [scale, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]] as const) if (Math.abs(value) >= scale) return `${digits(value / scale)} ${unit}`;
  return `${digits(value * 1e9)} ns`;
}

export function digits(value: number): string {
  const size = Math.abs(value);
  return size >= 100 || Number.isInteger(value) ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A colour of the style sheet, which differs between light and dark. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The same hue for the same text. */
export function hue(text: string): number {
  let sum = 7;
  for (let n = 0; n < text.length; n++) sum = (sum * 31 + text.charCodeAt(n)) >>> 0;
  return (sum * 137.508) % 360;
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The canvas at the device's resolution; its context draws in CSS pixels. */
export function fit(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Call `draw` at the next frame, once however often it is asked for. */
export function framed(draw: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

const closers: (() => void)[] = [];

/** What a view has to undo when another takes its place. */
export function onLeave(close: () => void): void {
  closers.push(close);
}

export function leave(): void {
  for (const close of closers.splice(0)) close();
}

/** Draw now, whenever the element changes its size, and whenever the theme does. */
export function redrawn(element: Element, draw: () => void): () => void {
  const soon = framed(draw);
  const sizes = new ResizeObserver(soon);
  sizes.observe(element);
  addEventListener("themechange", soon);
  onLeave(() => {
    sizes.disconnect();
    removeEventListener("themechange", soon);
  });
  soon();
  return soon;
}

/** A table whose columns sort; `cell` gives the text, `key` what it is sorted by. */
export interface Column<T> {
  name: string;
  title?: string;
  number?: boolean;
  cell: (row: T) => Child;
  key: (row: T) => number | string;
}

export function table<T>(rows: T[], columns: Column<T>[], pick: (row: T) => void, label: string, sorted = -1): HTMLElement {
  let by = sorted;
  let down = true;
  const body = h("tbody");
  const heads = columns.map((column, n) =>
    h("th", { class: column.number ? "number" : "", scope: "col", title: column.title ?? false }, h("button", { type: "button", onclick: () => sort(n) }, column.name)),
  );
  const lines = new Map<T, HTMLElement>();
  for (const row of rows) {
    const line = h("tr", { tabindex: 0, onclick: () => choose(row) }, columns.map((c) => h("td", { class: c.number ? "number" : "" }, c.cell(row))));
    line.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(row);
      else if (event.key === "ArrowDown") (line.nextElementSibling as HTMLElement | null)?.focus();
      else if (event.key === "ArrowUp") (line.previousElementSibling as HTMLElement | null)?.focus();
      else return;
      event.preventDefault();
    });
    lines.set(row, line);
  }
  function choose(row: T): void {
    for (const [other, line] of lines) line.classList.toggle("chosen", other === row);
    pick(row);
  }
  function sort(n: number): void {
    if (by === n) down = !down;
    else [by, down] = [n, Boolean(columns[n].number)];
    order();
  }
  function order(): void {
    const listed = [...rows];
    if (by >= 0) {
      const key = columns[by].key;
      listed.sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
    }
    heads.forEach((head, n) => head.setAttribute("aria-sort", n === by ? (down ? "descending" : "ascending") : "none"));
    body.replaceChildren(...listed.map((row) => lines.get(row) as HTMLElement));
  }
  order();
  return h("div", { class: "scroll" }, h("table", { "aria-label": label }, h("thead", {}, h("tr", {}, heads)), body));
}
