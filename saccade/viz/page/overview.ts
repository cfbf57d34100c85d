// What is in a recording, and where to look next.

import { Summary } from "./api";
import { bytes, count, h, replace, seconds, table } from "./dom";
import { go } from "./route";

export function overview(box: HTMLElement, key: string, summary: Summary): void {
  const { about, computations } = summary;
  const compiling = computations.reduce((sum, each) => sum + each.seconds, 0);
  const running = computations.reduce((sum, each) => sum + each.best * each.runs, 0);
  const one = (name: string, value: string, more = "") => h("div", { class: "figure" }, h("span", {}, name), h("b", {}, value), more ? h("small", { class: "quiet" }, more) : null);
  const link = (to: string, title: string, text: string) => h("a", { class: "card", href: `#/${key}/${to}` }, h("b", {}, title), h("span", {}, text));
  replace(box,
    h("header", { class: "stage-head" }, h("h2", {}, about.program || summary.name), h("span", { class: "quiet" }, `${about.started ?? ""} · saccade ${about.saccade ?? "?"} · Python ${about.python ?? "?"} · ${bytes(summary.bytes)}`)),
    h("div", { class: "figures-row pad" },
      one("computations", String(computations.length)),
      one("kernels", String(computations.reduce((sum, each) => sum + each.kernels, 0))),
      one("compiling", seconds(compiling)),
      one("running", seconds(running), "best times × runs"),
      one("moved", bytes(computations.reduce((sum, each) => sum + each.bytes * Math.max(1, each.runs), 0)), "bytes × runs"),
      one("rewrite steps", String(computations.reduce((sum, each) => sum + each.steps, 0)))),
    h("nav", { class: "cards", "aria-label": "Views" },
      link("rewrites", "What did a rewrite do?", "Every pass, the graph before and after, the rule that changed each node."),
      link("kernels", "Why is it slow?", "Kernels by time and distance from the floor, with reason, moves and source."),
      link("memory", "Where does memory go?", "Live buffers over time, the peak, who made and who reads each."),
      link("timeline", "What ran when?", "Queues, kernels and the compiler on one axis, down to nanoseconds.")),
    computations.length
      ? table(computations, [
          { name: "#", number: true, cell: (c) => c.number, key: (c) => -c.number },
          { name: "computation", cell: (c) => c.name, key: (c) => c.name },
          { name: "asked for at", cell: (c) => h("span", { class: "mono" }, c.lines.join(" ")), key: (c) => c.lines.join(" ") },
          { name: "nodes", number: true, cell: (c) => c.nodes, key: (c) => c.nodes },
          { name: "steps", number: true, cell: (c) => c.steps, key: (c) => c.steps },
          { name: "kernels", number: true, cell: (c) => c.kernels, key: (c) => c.kernels },
          { name: "compiled in", number: true, cell: (c) => seconds(c.seconds), key: (c) => c.seconds },
          { name: "runs", number: true, cell: (c) => c.runs, key: (c) => c.runs },
          { name: "a run", number: true, cell: (c) => seconds(c.best), key: (c) => c.best },
          { name: "moves", number: true, cell: (c) => bytes(c.bytes), key: (c) => c.bytes },
          { name: "computes", number: true, cell: (c) => `${count(c.flops)} FLOP`, key: (c) => c.flops },
        ], (c) => go(`#/${key}/${c.kernels ? "kernels" : "rewrites"}/${c.number}`), "Computations", 0)
      : h("p", { class: "quiet pad" }, "Nothing was compiled while this was recorded: a tensor is compiled when it is realised or read."));
}
