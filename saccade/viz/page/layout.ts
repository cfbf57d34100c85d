// A layered layout (Sugiyama): sources above what uses them, few crossings, in time linear in the edges.

export interface LayoutRequest {
  id: number;
  count: number;
  /** from[e] is used by to[e]: numbers of nodes 0..count-1 */
  from: Int32Array;
  to: Int32Array;
  width: number;
  height: number;
}

export interface LayoutAnswer {
  id: number;
  x: Float32Array;
  y: Float32Array;
}

const SWEEPS = 6;
/** A layer of more nodes than this is broken into several rows, or a wide graph would be a line. */
const WIDEST = 60;

export function layered(count: number, from: Int32Array, to: Int32Array, width: number, height: number): { x: Float32Array; y: Float32Array } {
  const into = adjacency(count, to, from);
  const out = adjacency(count, from, to);
  const layer = layersOf(count, into, out);
  const depth = count ? Math.max(...chunkedMax(layer)) + 1 : 0;
  const rows: number[][] = Array.from({ length: depth }, () => []);
  for (let n = 0; n < count; n++) rows[layer[n]].push(n);
  const place = new Float32Array(count);
  for (const row of rows) row.forEach((n, k) => (place[n] = k - row.length / 2));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const downwards = sweep % 2 === 0;
    const order = downwards ? rows : [...rows].reverse();
    for (const row of order) {
      const side = downwards ? into : out;
      const wanted = new Map<number, number>();
      for (const n of row) wanted.set(n, mean(n, side, place));
      row.sort((a, b) => (wanted.get(a) as number) - (wanted.get(b) as number));
      spread(row, wanted, place);
    }
  }
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  let top = 0;
  for (const row of rows) {
    const lines = Math.ceil(row.length / WIDEST);
    if (lines <= 1) for (const n of row) [x[n], y[n]] = [place[n] * width, top];
    else {
      const across = Math.ceil(row.length / lines);
      const middle = row.reduce((sum, n) => sum + place[n], 0) / row.length;
      row.forEach((n, k) => {
        x[n] = (middle + (k % across) - across / 2) * width;
        y[n] = top + Math.floor(k / across) * height * 0.7;
      });
    }
    top += height * Math.max(1, lines * 0.7 + 0.3);
  }
  return { x, y };
}

function chunkedMax(values: Int32Array): number[] {
  const found = [0];
  for (let k = 0; k < values.length; k++) if (values[k] > found[0]) found[0] = values[k];
  return found;
}

interface Adjacency {
  start: Int32Array;
  other: Int32Array;
}

/** The nodes at the far end of each node's edges, in one array. */
function adjacency(count: number, near: Int32Array, far: Int32Array): Adjacency {
  const start = new Int32Array(count + 1);
  for (const n of near) start[n + 1]++;
  for (let n = 0; n < count; n++) start[n + 1] += start[n];
  const next = start.slice();
  const other = new Int32Array(near.length);
  for (let e = 0; e < near.length; e++) other[next[near[e]]++] = far[e];
  return { start, other };
}

/** The longest way from any source; then leaves move down to just above their first user. */
function layersOf(count: number, into: Adjacency, out: Adjacency): Int32Array {
  const layer = new Int32Array(count);
  const waiting = new Int32Array(count);
  const ready: number[] = [];
  for (let n = 0; n < count; n++) {
    waiting[n] = into.start[n + 1] - into.start[n];
    if (!waiting[n]) ready.push(n);
  }
  for (let k = 0; k < ready.length; k++) {
    const n = ready[k];
    for (let e = out.start[n]; e < out.start[n + 1]; e++) {
      const user = out.other[e];
      layer[user] = Math.max(layer[user], layer[n] + 1);
      if (--waiting[user] === 0) ready.push(user);
    }
  }
  for (let k = ready.length - 1; k >= 0; k--) {
    const n = ready[k];
    if (into.start[n + 1] > into.start[n] || out.start[n + 1] === out.start[n]) continue;
    let first = Infinity;
    for (let e = out.start[n]; e < out.start[n + 1]; e++) first = Math.min(first, layer[out.other[e]]);
    layer[n] = first - 1;
  }
  return layer;
}

function mean(n: number, side: Adjacency, place: Float32Array): number {
  const [first, last] = [side.start[n], side.start[n + 1]];
  if (first === last) return place[n];
  let sum = 0;
  for (let e = first; e < last; e++) sum += place[side.other[e]];
  return sum / (last - first);
}

/** Nodes of a row where they want to be, at least 1 apart: pushed to the right, then the row is put back to its mean. */
function spread(row: number[], wanted: Map<number, number>, place: Float32Array): void {
  let last = -Infinity;
  let off = 0;
  for (const n of row) {
    const want = wanted.get(n) as number;
    last = Math.max(want, last + 1);
    place[n] = last;
    off += last - want;
  }
  for (const n of row) place[n] -= off / row.length;
}

/** The other side of `layoutInWorker`. */
export function serveLayouts(): void {
  addEventListener("message", (event: MessageEvent<LayoutRequest>) => {
    const { id, count, from, to, width, height } = event.data;
    const { x, y } = layered(count, from, to, width, height);
    (postMessage as (value: LayoutAnswer, moved: Transferable[]) => void)({ id, x, y }, [x.buffer, y.buffer]);
  });
}

let worker: Worker | null = null;
let asked = 0;
const waiting = new Map<number, (answer: LayoutAnswer) => void>();

export function layoutInWorker(count: number, from: Int32Array, to: Int32Array, width: number, height: number): Promise<LayoutAnswer> {
  if (!worker) {
    worker = new Worker("static/page.js");
    worker.addEventListener("message", (event: MessageEvent<LayoutAnswer>) => {
      waiting.get(event.data.id)?.(event.data);
      waiting.delete(event.data.id);
    });
  }
  const id = ++asked;
  const running = worker;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    running.postMessage({ id, count, from, to, width, height } satisfies LayoutRequest);
  });
}
