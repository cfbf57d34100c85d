// Rewrites: every pass of a computation, its graph before and after, what changed and by which rule.

import { ComputationSummary, PassGraph, PassSummary, Step, view } from "./api";
import { h, replace, seconds } from "./dom";
import { GraphNode, GraphView } from "./graph";
import { byLine, MANY_NODES } from "./lines";
import { go } from "./route";

/** `#/KEY/rewrites/COMPUTATION/PASS/NODE`, or `…/COMPUTATION/find/TEXT` to search in the pass of most steps. */
export async function rewrites(box: HTMLElement, key: string, computations: ComputationSummary[], parts: string[]): Promise<void> {
  const number = Number(parts[0] ?? 0);
  if (!computations.length) {
    replace(box, h("p", { class: "quiet pad" }, "Nothing was compiled while this was recorded."));
    return;
  }
  const { passes } = await view<{ passes: PassSummary[] }>(key, "rewrites", { computation: number });
  const most = passes.reduce((best, each, n) => (each.steps > (passes[best]?.steps ?? -1) && each.graph ? n : best), -1);
  const wanted = parts[1] === "find" ? (parts[2] ?? "") : "";
  const place = parts[1] !== undefined && !wanted ? Number(parts[1]) : Math.max(0, most >= 0 ? most : passes.findIndex((each) => each.graph));
  const main = h("section", { class: "stage", "aria-live": "polite" });
  const list = h("ol", { class: "passes" }, passes.map((each, n) => passLine(each, n, n === place, `#/${key}/rewrites/${number}/${n}`)));
  const aside = h("aside", { "aria-label": "Passes" }, chooser(key, computations, number), list);
  replace(box, h("div", { class: "split" }, aside, main));
  const chosen = passes[place];
  if (!chosen) throw new Error(`Computation ${number} has ${passes.length} passes, and no number ${place}.`);
  if (!chosen.graph) {
    replace(main, heading(chosen), h("p", { class: "quiet pad" }, "This stage has no graph of its own: its passes and its time are in the list."));
    return;
  }
  replace(main, heading(chosen), h("p", { class: "quiet pad" }, "Laying out…"));
  const graph = await view<PassGraph>(key, "graph", { computation: number, pass: place });
  const more = async (from: number) => (await view<{ steps: Step[] }>(key, "steps", { computation: number, pass: place, first: from })).steps;
  await stage(main, chosen, graph, more, wanted || parts[2] === undefined ? -1 : Number(parts[2]), wanted, (node) => go(`#/${key}/rewrites/${number}/${place}/${node}`, true));
}

function passLine(each: PassSummary, place: number, chosen: boolean, address: string): HTMLElement {
  const rules = Object.entries(each.rules).map(([rule, times]) => `${times} × ${rule}`).join("\n");
  const change = each.graph ? `${each.nodes_before} → ${each.nodes_after}` : "";
  return h(
    "li",
    { class: each.depth ? "" : "top" },
    h("a", { href: address, "aria-current": chosen ? "true" : false, title: rules || each.about || false, "data-pass": place },
      h("span", { class: "what" }, each.name),
      h("span", { class: "figures" }, h("span", {}, change), each.steps ? h("b", { class: "badge" }, `${each.steps} step${each.steps === 1 ? "" : "s"}`) : null, h("span", {}, seconds(each.seconds))),
    ),
  );
}

export function chooser(key: string, computations: ComputationSummary[], number: number, to = "rewrites"): HTMLElement {
  const titled = (each: ComputationSummary): string => `${each.number}: ${each.lines.join(" ") || each.name}, ${each.kernels} kernel${each.kernels === 1 ? "" : "s"}`;
  if (computations.length < 2) return h("p", { class: "quiet small" }, computations.map(titled));
  const select = h("select", { "aria-label": "Computation", onchange: () => go(`#/${key}/${to}/${select.value}`) },
    computations.map((each) => h("option", { value: each.number, selected: each.number === number }, titled(each))));
  return select;
}

function heading(pass: PassSummary): HTMLElement {
  return h("header", { class: "stage-head" }, h("h2", {}, pass.name), h("span", { class: "quiet" }, pass.source), h("p", { class: "about" }, (pass.about || "").split("\n\n")[0]));
}

async function stage(main: HTMLElement, pass: PassSummary, graph: PassGraph, more: (from: number) => Promise<Step[]>, first: number, wanted: string, tell: (node: number) => void): Promise<void> {
  const began = performance.now();
  const columns = graph.nodes;
  const at = new Map(columns.number.map((number, place) => [number, place]));
  const [before, after] = [new Set(graph.before), new Set(graph.after)];
  const rebuilt = new Set(graph.rebuilt);
  const removed = graph.before.filter((n) => !after.has(n) && !rebuilt.has(n)).length;
  const added = graph.after.filter((n) => !before.has(n) && !rebuilt.has(n)).length;
  const made = (numbers: number[], others: Set<number>, mark: "removed" | "added"): GraphNode[] =>
    numbers.map((number) => {
      const n = at.get(number) as number;
      return { id: number, label: columns.op[n], detail: shape(columns.shape[n]) || columns.arg[n] || columns.dtype[n], group: columns.op[n], mark: others.has(number) || rebuilt.has(number) ? undefined : mark, src: columns.src[n] };
    });
  const details = h("div", { class: "details", "aria-live": "polite" });
  const views = [new GraphView("Graph before the pass", picked), new GraphView("Graph after the pass", picked)];
  const open = new Set<string>();
  const allLines = new Set(columns.line.filter(Boolean));
  let grouped = allLines.size > 1 && Math.max(graph.before.length, graph.after.length) > MANY_NODES;
  let lines = new Map<number, string>();
  const group = h("button", { type: "button", "aria-pressed": String(grouped), title: "One node for each line of the program; a click opens it", onclick: () => regroup(!grouped) }, "by line");
  const same = removed === 0 && added === 0 && !rebuilt.size;
  const search = h("input", { type: "search", placeholder: "op, shape, line, rule…", "aria-label": "Search nodes", oninput: () => look() });
  const told = h("span", { class: "quiet", role: "status" });
  const legend = h("span", { class: "legend" }, h("i", { class: "removed" }), ` ${removed} gone `, h("i", { class: "added" }), ` ${added} new`, rebuilt.size ? h("span", { class: "quiet", title: "the same op, over sources that changed" }, `, ${graph.after.filter((n) => rebuilt.has(n)).length} over changed sources`) : null);
  const panes = h("div", { class: same ? "panes one" : "panes" },
    h("figure", {}, h("figcaption", {}, same ? `Unchanged, ${graph.before.length} nodes` : `Before, ${graph.before.length} nodes`), views[0].element),
    same ? null : h("figure", {}, h("figcaption", {}, `After, ${graph.after.length} nodes`), views[1].element));
  replace(main, heading(pass), h("div", { class: "bar" }, search, allLines.size > 1 ? group : null, told, same ? null : legend, graph.cut ? h("b", {}, "only the nodes nearest to the results") : null), panes, h("div", { class: "below" }, details, steps(graph, pickStep, more)));
  let matches: number[] = [];
  let shown = -1;
  const rules = new Map<number, string>();
  for (const step of graph.steps) for (const node of [step.before, step.after]) rules.set(node, step.rule);

  function look(): void {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const match = (node: GraphNode): boolean => {
      const n = at.get(node.id);
      if (n === undefined) return words.length > 0 && words.every((word) => node.label.toLowerCase().includes(word));
      const text = `${columns.op[n]} ${columns.dtype[n]} ${shape(columns.shape[n])} ${columns.arg[n]} ${columns.line[n]} ${rules.get(node.id) ?? ""}`.toLowerCase();
      return words.length > 0 && words.every((word) => text.includes(word));
    };
    matches = [...new Set(views.flatMap((each) => each.find(match)))];
    shown = -1;
    told.textContent = words.length ? `${matches.length} found${matches.length ? ", Enter goes to the next" : ""}` : "";
  }

  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && matches.length) {
      shown = (shown + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
      pick(matches[shown], true);
    }
  });

  /** A click in a graph: on a node, or on a line, which is opened. */
  function picked(id: number): void {
    const line = lines.get(id);
    if (line === undefined) return pick(id);
    open.add(line);
    void layOut();
  }

  function regroup(on: boolean): void {
    grouped = on;
    open.clear();
    group.setAttribute("aria-pressed", String(on));
    void layOut();
  }

  function pick(id: number, centre = false): void {
    for (const each of views) each.select(id, centre || !each.has(id) ? each.has(id) : false);
    const n = at.get(id);
    if (n === undefined) return;
    tell(id);
    const link = (number: number): HTMLElement => h("button", { type: "button", class: "link", onclick: () => pick(number, true) }, at.has(number) ? `${columns.op[at.get(number) as number]} ${number}` : `node ${number}`);
    const users = [...new Set(views.flatMap((each) => each.usersOf(id)))].slice(0, 12);
    const steps = graph.steps.filter((step) => step.before === id || step.after === id).slice(0, 8);
    const state = rebuilt.has(id) ? "the same op, over changed sources" : before.has(id) && after.has(id) ? "kept" : before.has(id) ? "gone after this pass" : after.has(id) ? "made by this pass" : "made and replaced within this pass";
    replace(details,
      h("h3", {}, `${columns.op[n]} `, h("small", { class: "quiet" }, `node ${id}, ${state}`)),
      h("dl", {},
        h("dt", {}, "value"), h("dd", {}, `${columns.dtype[n]}${shape(columns.shape[n])}`),
        columns.arg[n] ? [h("dt", {}, "argument"), h("dd", { class: "mono" }, columns.arg[n])] : null,
        h("dt", {}, "made at"), h("dd", { class: "mono" }, columns.line[n] || "unknown (not by a line of the program)"),
        h("dt", {}, "sources"), h("dd", {}, columns.src[n].length ? columns.src[n].map(link) : "none"),
        h("dt", {}, "used by"), h("dd", {}, users.length ? users.map(link) : "nothing: it is a result"),
        steps.map((step) => [h("dt", {}, "rule"), h("dd", {}, `${step.rule} `, h("span", { class: "quiet mono" }, step.source))])));
  }

  function pickStep(step: Step): void {
    views[0].select(step.before, views[0].has(step.before));
    views[1].select(step.after, views[1].has(step.after));
    pick(at.has(step.after) && after.has(step.after) ? step.after : step.before);
    views[0].select(step.before, views[0].has(step.before));
    if (!views[1].has(step.after)) views[1].select(step.after, false);
  }

  async function layOut(): Promise<void> {
    const lineOf = (id: number): string => columns.line[at.get(id) as number];
    const sides = [made(graph.before, after, "removed"), made(graph.after, before, "added")];
    const shownSides = grouped ? sides.map((side) => byLine(side, lineOf, open)) : null;
    lines = new Map(shownSides?.flatMap((side) => [...side.lines]) ?? []);
    const drawn = shownSides ? shownSides.map((side) => side.nodes) : sides;
    await Promise.all([views[0].show(drawn[0], graph.steps[0]?.before), same ? null : views[1].show(drawn[1], graph.steps[0]?.after)]);
  }

  await layOut();
  if (wanted) {
    search.value = wanted;
    look();
  }
  main.dataset.milliseconds = String(Math.round(performance.now() - began));
  main.dataset.opened = String(Math.round(performance.now()));
  if (first >= 0 && at.has(first)) pick(first, true);
  else replace(details, h("p", { class: "quiet" }, "Click a node to see where it comes from. Drag to move, wheel to zoom, arrow keys to follow edges."));
}

/** The first steps; the others when they are asked for. */
function steps(graph: PassGraph, pick: (step: Step) => void, more: (from: number) => Promise<Step[]>): HTMLElement {
  if (!graph.steps.length) return h("div", { class: "steps" }, h("p", { class: "quiet" }, "No single steps were told by this pass."));
  const list = h("ol", {});
  const next = h("button", { type: "button", onclick: async () => add(await more(list.childElementCount)) });
  function add(some: Step[]): void {
    list.append(...some.map((step) => h("li", {}, h("button", { type: "button", class: "step", onclick: () => pick(step) }, h("span", {}, step.rule), h("span", { class: "quiet mono" }, `${step.line || "?"} · ${step.source}`)))));
    const left = graph.total - list.childElementCount;
    next.hidden = left <= 0 || !some.length;
    next.textContent = `${left} more`;
  }
  add(graph.steps);
  return h("div", { class: "steps" }, h("h3", {}, `${graph.total} step${graph.total === 1 ? "" : "s"}`), list, next);
}

function shape(lengths: (number | string)[]): string {
  return lengths.length ? `[${lengths.join(", ")}]` : "";
}
