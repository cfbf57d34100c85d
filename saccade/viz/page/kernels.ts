// Kernels: what ran, how long it took, how far from the floor, why it is one kernel, and its source.

import { ComputationSummary, Kernel, Kernels, view } from "./api";
import { bytes, count, digits, h, replace, seconds, table } from "./dom";
import { GraphView } from "./graph";
import { chooser } from "./rewrites";
import { go } from "./route";

interface Row {
  number: number;
  kernel: Kernel;
}

export async function kernels(box: HTMLElement, key: string, computations: ComputationSummary[], parts: string[]): Promise<void> {
  const withKernels = computations.filter((each) => each.kernels > 0);
  if (!withKernels.length) {
    replace(box, h("p", { class: "quiet pad" }, "No kernels were made while this was recorded."));
    return;
  }
  const busiest = withKernels.reduce((best, each) => (each.best * each.runs > best.best * best.runs ? each : best));
  const number = parts[0] === undefined ? busiest.number : Number(parts[0]);
  const data = await view<Kernels>(key, "kernels", { computation: number });
  const rows = data.kernels.map((kernel, n) => ({ number: n, kernel }));
  const longest = Math.max(1e-12, ...rows.map((row) => row.kernel.seconds ?? 0));
  const details = h("section", { class: "details", "aria-live": "polite" }, h("p", { class: "quiet" }, "Choose a kernel in the table or in the graph."));
  const graph = new GraphView("Kernel graph, coloured by time", (id) => choose(id));
  const listed = table<Row>(rows, columns(longest), (row) => choose(row.number), "Kernels", rows.some((row) => row.kernel.seconds) ? 2 : 0);
  replace(box,
    h("div", { class: "bar" }, chooser(key, withKernels, number, "kernels"), figures(data)),
    h("div", { class: "halves" }, listed, h("figure", {}, h("figcaption", {}, "Kernel graph: blue is quick, red is where the time goes", data.backward ? [h("i", { class: "swatch kept" }), " kept by forward for backward"] : null), graph.element)),
    details);

  async function choose(n: number, asked = true): Promise<void> {
    graph.select(n, asked);
    if (asked) go(`#/${key}/kernels/${number}/${n}`, true);
    const text = await view<{ text: string; source: string }>(key, "source", { computation: number, kernel: n });
    replace(details, told(key, data, n, text), machine(key, number, n));
  }

  const kept = new Set(data.buffers.filter((buffer) => buffer.kept).map((buffer) => buffer.name));
  const makers = new Map(data.buffers.map((buffer) => [buffer.name, buffer.writers]));
  await graph.show(rows.map(({ number: id, kernel }) => ({
    id,
    label: kernel.name,
    detail: `${seconds(kernel.seconds)}  ${bytes(kernel.bytes)}${data.backward ? `  ${kernel.phase}` : ""}`,
    kept: kernel.phase === "backward" ? kernel.reads.filter((name) => kept.has(name)).flatMap((name) => makers.get(name) ?? []) : [],
    heat: Math.sqrt((kernel.seconds ?? 0) / longest),
    group: kernel.name,
    src: [...new Set(kernel.reads.flatMap((name) => (makers.get(name) ?? []).filter((maker) => maker < id)))],
  })));
  const slowest = rows.reduce((best, row) => ((row.kernel.seconds ?? 0) > (best.kernel.seconds ?? 0) ? row : best), rows[0]);
  await choose(parts[1] === undefined ? slowest.number : Number(parts[1]), parts[1] !== undefined);
}

function columns(longest: number) {
  const share = (row: Row): HTMLElement =>
    h("span", { class: "meter" }, h("i", { style: `width:${(100 * (row.kernel.seconds ?? 0)) / longest}%` }), h("span", {}, seconds(row.kernel.seconds)));
  return [
    { name: "#", number: true, cell: (row: Row) => row.number, key: (row: Row) => -row.number },
    { name: "kernel", cell: (row: Row) => h("span", { class: "mono" }, row.kernel.name), key: (row: Row) => row.kernel.name },
    { name: "time", title: "the best of all runs", number: true, cell: share, key: (row: Row) => row.kernel.seconds ?? 0 },
    { name: "× floor", title: "time over the least possible for its bytes and FLOPs at the device's measured rates", number: true, cell: (row: Row) => ratio(row.kernel), key: (row: Row) => (row.kernel.seconds ?? 0) / (row.kernel.floor || Infinity) },
    { name: "estimate", title: "what the scheduler expected before it ran", number: true, cell: (row: Row) => seconds(row.kernel.estimate), key: (row: Row) => row.kernel.estimate ?? 0 },
    { name: "bytes", number: true, cell: (row: Row) => bytes(row.kernel.bytes), key: (row: Row) => row.kernel.bytes },
    { name: "FLOP", number: true, cell: (row: Row) => count(row.kernel.flops), key: (row: Row) => row.kernel.flops },
    { name: "line", cell: (row: Row) => h("span", { class: "mono quiet" }, row.kernel.lines.join(" ")), key: (row: Row) => row.kernel.lines.join(" ") },
  ];
}

function ratio(kernel: Kernel): string {
  return kernel.floor && kernel.seconds ? digits(kernel.seconds / kernel.floor) : "–";
}

function figures(data: Kernels): HTMLElement {
  const { summary } = data;
  const least = summary.least;
  const one = (name: string, value: string, more = "") => h("div", { class: "figure" }, h("span", {}, name), h("b", {}, value), more ? h("small", { class: "quiet" }, more) : null);
  return h("div", { class: "figures-row" },
    one("kernels", String(summary.kernels), `run ${summary.runs} times`),
    one("time", seconds(summary.best), "best of each kernel"),
    one("moved", bytes(summary.bytes), least ? `least possible ${bytes(least.bytes)}` : ""),
    one("computed", `${count(summary.flops)} FLOP`, least ? `least possible ${count(least.flops)}` : ""),
    one("between kernels", bytes(summary.arena)),
    data.ceiling ? one("device reaches", `${digits(data.ceiling.copy / 1e9)} GB/s`, `${count(Math.max(...Object.values(data.ceiling.products)))} FLOP/s`) : null);
}

function told(key: string, data: Kernels, n: number, text: { text: string; source: string }): HTMLElement {
  const kernel = data.kernels[n];
  const byName = new Map(data.buffers.map((buffer) => [buffer.name, buffer]));
  const buffer = (name: string): HTMLElement => {
    const found = byName.get(name);
    return h("li", {}, h("b", { class: "mono" }, name), found ? ` ${found.dtype}[${found.size}], ${bytes(found.bytes)}, ${found.role}${found.line ? `, from ${found.line}` : ""}${found.kept ? ", kept for backward" : ""}` : "");
  };
  const rate = kernel.seconds ? ` (${digits(kernel.bytes / kernel.seconds / 1e9)} GB/s, ${digits(kernel.flops / kernel.seconds / 1e9)} GFLOP/s)` : "";
  return h("div", {},
    h("h3", {}, `${n} `, h("span", { class: "mono" }, kernel.name)),
    h("dl", {},
      h("dt", {}, "why it is a kernel"), h("dd", {}, kernel.reason),
      h("dt", {}, "time"), h("dd", {}, `${seconds(kernel.seconds)}${rate}${kernel.floor ? `; the floor is ${seconds(kernel.floor)}` : ""}`),
      h("dt", {}, "estimate"), h("dd", {}, `${seconds(kernel.estimate)}${kernel.estimate && kernel.seconds ? `; measured is ${digits(kernel.seconds / kernel.estimate)} times that` : ""}`),
      data.backward ? [h("dt", {}, "phase"), h("dd", {}, kernel.phase)] : null,
      h("dt", {}, "asked for at"), h("dd", { class: "mono lines" }, kernel.lines.length ? kernel.lines.map((line) => [h("a", { href: `#/${key}/rewrites/${data.computation}/find/${encodeURIComponent(line)}`, title: "What this line made" }, line), " "]) : "unknown"),
      h("dt", {}, "moves"), h("dd", {}, kernel.moves.length ? h("ul", { class: "plain mono" }, kernel.moves.map((move) => h("li", {}, move))) : "none"),
      h("dt", {}, "reads"), h("dd", {}, h("ul", { class: "plain" }, kernel.reads.map(buffer))),
      h("dt", {}, "writes"), h("dd", {}, h("ul", { class: "plain" }, kernel.writes.map(buffer)))),
    h("details", { open: true }, h("summary", {}, "in kernel terms"), h("pre", { tabindex: 0 }, text.text)),
    h("details", {}, h("summary", {}, `source, ${text.source.split("\n").length} lines`), h("pre", { tabindex: 0 }, text.source || "none was recorded")));
}

/** Machine code is compiled again when it is looked at. */
function machine(key: string, computation: number, kernel: number): HTMLElement {
  const text = h("pre", { tabindex: 0 }, "compiling…");
  const title = h("summary", {}, "machine code");
  const box = h("details", { class: "machine" }, title, text);
  box.addEventListener("toggle", async () => {
    if (!box.open || text.dataset.loaded) return;
    text.dataset.loaded = "1";
    try {
      const found = await view<{ kind: string; target: string; text: string }>(key, "machine", { computation, kernel });
      title.textContent = found.kind ? `machine code: ${found.kind} for ${found.target}, ${found.text.split("\n").length} lines` : "machine code";
      text.textContent = found.text;
    } catch (error) {
      text.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  return box;
}
