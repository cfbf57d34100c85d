// What the server answers. Addresses are relative, so that the token in the page's own address goes with them.

export class ApiError extends Error {}

const kept = new Map<string, Promise<unknown>>();
const MOST_KEPT = 24;

/** A view of a recording. The last few answers are kept. */
export function view<T>(key: string, name: string, query: Record<string, string | number> = {}): Promise<T> {
  const text = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)])).toString();
  const address = `api/${encodeURIComponent(key)}/${name}${text ? `?${text}` : ""}`;
  let found = kept.get(address) as Promise<T> | undefined;
  if (!found) {
    found = ask<T>(address);
    kept.set(address, found);
    found.catch(() => kept.delete(address));
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value as string);
  }
  return found;
}

/** Forget what was answered for a recording: it has grown. */
export function forget(key: string): void {
  for (const address of [...kept.keys()]) if (address.startsWith(`api/${encodeURIComponent(key)}/`)) kept.delete(address);
}

async function answered(address: string): Promise<Response> {
  try {
    return await fetch(address);
  } catch {
    throw new ApiError("The server does not answer. It ends with `saccade viz`: start it again.");
  }
}

export async function ask<T>(address: string): Promise<T> {
  const response = await answered(address);
  const text = await response.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(text.slice(0, 300) || `The server answered ${response.status}.`);
  }
  if (!response.ok) throw new ApiError((value as { error?: string }).error ?? `The server answered ${response.status}.`);
  return value as T;
}

const keptBytes = new Map<string, { data: Promise<ArrayBuffer>; size: number }>();
/** Bytes of answers that are kept: 30 steps of 150,000 hypotheses. */
const MOST_BYTES = 96e6;

/** A view that is no JSON. The last ones are kept. */
export function bytesOf(key: string, name: string, query: Record<string, string | number>): Promise<ArrayBuffer> {
  const text = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)])).toString();
  const address = `api/${encodeURIComponent(key)}/${name}?${text}`;
  const known = keptBytes.get(address);
  if (known) {
    keptBytes.delete(address);
    keptBytes.set(address, known);
    return known.data;
  }
  const made = { data: askBytes(address), size: 0 };
  keptBytes.set(address, made);
  made.data.then((data) => forgetOldest((made.size = data.byteLength)), () => keptBytes.delete(address));
  return made.data;
}

async function askBytes(address: string): Promise<ArrayBuffer> {
  const response = await answered(address);
  if (!response.ok) throw new ApiError(((await response.json()) as { error?: string }).error ?? `The server answered ${response.status}.`);
  return response.arrayBuffer();
}

function forgetOldest(newest: number): void {
  let sum = [...keptBytes.values()].reduce((all, each) => all + each.size, 0);
  for (const [address, { size }] of keptBytes) {
    if (sum <= MOST_BYTES || sum === newest) return;
    keptBytes.delete(address);
    sum -= size;
  }
}

export interface Listed {
  key: string;
  name: string;
  kind: "program" | "run";
}

export interface ComputationSummary {
  number: number;
  name: string;
  device: string;
  seconds: number;
  passes: number;
  steps: number;
  nodes: number;
  kernels: number;
  bytes: number;
  flops: number;
  arena: number;
  lines: string[];
  least: { bytes: number; flops: number } | null;
  runs: number;
  best: number;
}

export interface Summary {
  name: string;
  bytes: number;
  message: string;
  ended: boolean;
  about: { saccade?: string; python?: string; program?: string; started?: string };
  computations: ComputationSummary[];
  ceilings: { device: string; copy: number; products: Record<string, number> }[];
  spans: number;
}

export interface PassSummary {
  name: string;
  about: string;
  source: string;
  depth: number;
  seconds: number;
  steps: number;
  nodes_before: number;
  nodes_after: number;
  rules: Record<string, number>;
  graph: boolean;
}

export interface Step {
  rule: string;
  source: string;
  line: string;
  before: number;
  after: number;
}

export interface PassGraph {
  nodes: {
    number: number[];
    op: string[];
    dtype: string[];
    shape: (number | string)[][];
    src: number[][];
    arg: string[];
    line: string[];
  };
  before: number[];
  after: number[];
  rebuilt: number[];
  cut: boolean;
  steps: Step[];
  total: number;
}

export interface Kernel {
  name: string;
  reason: string;
  buffers: string[];
  reads: string[];
  writes: string[];
  bytes: number;
  flops: number;
  moves: string[];
  lines: string[];
  phase: "forward" | "backward" | "both";
  estimate?: number;
  runs: number;
  seconds: number | null;
  total: number | null;
  floor: number | null;
}

export interface GraphBuffer {
  name: string;
  role: string;
  dtype: string;
  size: number;
  bytes: number;
  offset: number;
  writers: number[];
  readers: number[];
  line: string;
  kept: boolean;
}

export interface Kernels {
  computation: number;
  summary: ComputationSummary;
  ceiling?: { device: string; copy: number; products: Record<string, number> } | null;
  backward: boolean;
  kernels: Kernel[];
  buffers: GraphBuffer[];
}

export interface HeldBuffer {
  number: number;
  kind: string;
  bytes: number;
  start: number;
  end: number | null;
  computation: number;
  name: string;
  maker: string;
  line: string;
  readers: { computation: number; times: number }[];
  offset: number;
  kept: number;
}

export interface Memory {
  device: string;
  devices: { name: string; peak: number }[];
  last: number;
  curve: [number, number][];
  peak: { time: number; bytes: number; live: HeldBuffer[] };
  buffers: HeldBuffer[];
  left_out: number;
}

export interface Chunk {
  name: number[];
  row: number[];
  start: number[];
  duration: number[];
  computation: number[];
  kernel: number[];
  depth: number[];
  names: string[];
  rows: [string, string][];
}
