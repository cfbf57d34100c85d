// What one sees, and which keys there are.

import { h } from "./dom";

const KEYS: [string, string][] = [
  ["1 … 5", "the views, from left to right"],
  ["?", "this help; Esc closes it"],
  ["b", "two views side by side, and back"],
  ["/", "search, where there is something to find; Enter goes to the next"],
  ["+ − 0", "zoom in, out, show all"],
  ["arrows", "in a graph: to a source, a user or a neighbour; in time: earlier and later"],
  ["wheel, drag", "zoom and move"],
  ["space, ← →", "in an episode: play, one step back and on"],
];

const VIEWS: [string, string][] = [
  ["Rewrites", "Each pass of the compiler takes a graph and gives a graph. Left is before, right is after; nodes that are gone and nodes that are new are outlined. A step is one rule applied at one place. “Made at” is the line of the program that asked for the node. “By line” makes one node of all that a line asked for; a click opens it."],
  ["Kernels", "What really runs. “× floor” is the time over the least time that the kernel's bytes and FLOPs need at the rates this device was measured to reach: 1 is perfect, 10 is worth a look. “Estimate” is what the scheduler expected. A line leads to what it made. The reason says why a value is stored instead of recomputed by its reader. Machine code is compiled again when you open it."],
  ["Memory", "Time goes right, bytes go up. Each block is a buffer for as long as it lives, where a first-fit allocator would put it. The line is all that is live; the dot is the peak. Memory between kernels lives only while its computation runs; choose it to see its plan. What a training step's forward half keeps for its backward half has a colour of its own, and crosses the line of the loss."],
  ["Timeline", "A row for each queue of each device, the threads that handed work over, and the compiler's passes. What is narrower than a pixel is drawn as one."],
  ["Minds", "An episode of recognition: the sensor's path over the object, what the mind believes it to be (the ghost is the most likely model in its most likely pose), and the evidence of every object over the steps. Arrows are votes between modules: green ones place the receiver where it believes to be. A ring is a goal, discs are patches. The table has every module; “beside” compares two modules, the two best hypotheses, what was learned of the object, or two runs. However many hypotheses there are, every one is drawn."],
];

export function helpDialog(): HTMLDialogElement {
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = h("dialog", { "aria-label": "Help" },
    h("h2", {}, "What you see"),
    h("dl", {}, VIEWS.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
    h("h2", {}, "Keys"),
    h("dl", { class: "keys" }, KEYS.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
    close);
  return dialog;
}
