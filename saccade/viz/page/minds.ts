// Minds: why a mug was taken for a bowl. Episodes, wrong ones first; one of them step by step.

import { view } from "./api";
import { colour, fit, h, hue, isDark, onLeave, redrawn, replace } from "./dom";
import { go } from "./route";
import { MeshData, ModelData, Placement, Scene } from "./scene";

interface Listed {
  id: string;
  object: string;
  detected: string;
  ending: string;
  correct: boolean;
  steps: number;
  rotation_error: number | null;
  traced: boolean;
}

interface Episode extends Listed {
  rotation: number[][];
  objects: string[];
  steps_traced: number;
  processed: boolean[];
  hypotheses: number[];
  sensed: (number | null)[][][];
  object_evidence: (number | null)[][];
  best_object: number[];
  best_location: (number | null)[][];
  best_rotation: (number | null)[][][];
  cloud: { place: number[][][]; evidence: number[][] } | null;
}

const LINES = 8;
const STEP_MS = 120;

export async function minds(box: HTMLElement, key: string, parts: string[]): Promise<void> {
  const { episodes } = await view<{ episodes: Listed[] }>(key, "episodes");
  const wanted = parts[0] ?? episodes.find((each) => each.traced)?.id ?? episodes[0]?.id;
  const lines = episodes.slice(0, 2000).map((each) =>
    h("li", { class: each.correct ? "right-answer" : "wrong" }, h("a", { href: `#/${key}/minds/${each.id}`, "aria-current": each.id === wanted ? "true" : false },
      h("b", {}, each.correct ? each.object : `${each.object} → ${each.detected || "nothing"}`),
      h("span", {}, `${each.id}, ${each.ending}, ${each.steps} steps${each.rotation_error === null ? "" : `, ${each.rotation_error.toFixed(0)}° off`}`))));
  const wrong = episodes.filter((each) => !each.correct).length;
  const main = h("section", { class: "stage" });
  replace(box, h("div", { class: "split" }, h("aside", { "aria-label": "Episodes" }, h("p", { class: "quiet small" }, `${episodes.length} episodes, ${wrong} wrong`), h("ol", { class: "episodes" }, lines)), main));
  if (!wanted) {
    replace(main, h("p", { class: "quiet pad" }, "No episode of this run has ended yet that asked for an object."));
    return;
  }
  const episode = await view<Episode>(key, "episode", { id: wanted });
  await replay(main, key, episode, parts[1] === undefined ? episode.steps_traced - 1 : Number(parts[1]));
}

async function replay(main: HTMLElement, key: string, episode: Episode, first: number): Promise<void> {
  const last = episode.steps_traced - 1;
  const stage = h("div", { class: "scene" });
  const slider = h("input", { type: "range", min: 0, max: Math.max(0, last), value: 0, "aria-label": "Step", oninput: () => show(Number(slider.value)) });
  const output = h("output", {});
  const play = h("button", { type: "button", "aria-label": "Play", onclick: () => toggle() }, "▶");
  const step = (by: number, label: string, text: string) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => show(now + by) }, text);
  const belief = h("span", { role: "status" });
  const ranking = h("ol", { "aria-label": "Evidence of objects at this step" });
  const curves = h("canvas", { role: "img", "aria-label": "Evidence of each object over the steps" });
  const verdict = episode.correct ? `recognised (${episode.ending})` : `taken for ${episode.detected || "nothing"} (${episode.ending})`;
  replace(main,
    h("header", { class: "stage-head" }, h("h2", {}, episode.object), h("span", { class: episode.correct ? "quiet" : "badge" }, verdict), belief),
    stage,
    h("p", { class: "legend small quiet" }, h("i", { class: "path" }), " where the sensor was ", h("i", { class: "ghost" }), " the model it believes in, as it believes it to stand ",
      episode.cloud ? [h("i", { class: "cloud" }), " where hypotheses put the sensor, weak to strong"] : "(--set recording.hypotheses=500 would show hypotheses)"),
    h("div", { class: "player" }, step(-1, "One step back", "◀︎|"), play, step(1, "One step on", "|▶︎"), slider, output),
    h("div", { class: "curves" }, h("figure", {}, h("figcaption", {}, "evidence over steps"), curves), ranking));
  const scene = new Scene(stage);
  const canvas = scene.renderer.domElement;
  canvas.setAttribute("aria-label", `The ${episode.object} as it stands, the sensor's path, and the ghost of what is believed`);
  const models = new Map<string, ModelData | null>();
  let size = 0.1;
  let now = -1;
  let timer = 0;
  onLeave(() => clearInterval(timer));

  async function model(name: string): Promise<ModelData | null> {
    if (!models.has(name)) models.set(name, await view<ModelData>(key, "model", { object: name }).catch(() => null));
    return models.get(name) ?? null;
  }

  const order = lineOrder(episode);
  const redraw = redrawn(curves, () => drawCurves(curves, episode, order, now));

  async function show(wanted: number): Promise<void> {
    now = Math.max(0, Math.min(last, Number.isFinite(wanted) ? wanted : last));
    slider.value = String(now);
    output.textContent = `step ${now + 1} of ${last + 1}`;
    go(`#/${key}/minds/${episode.id}/${now}`, true);
    const best = episode.best_object[now];
    const name = best >= 0 ? episode.objects[best] : "";
    belief.textContent = name ? `believes: ${name}, ${episode.hypotheses[now].toLocaleString("en")} hypotheses` : "believes nothing yet";
    belief.className = name === episode.object ? "quiet" : "badge";
    scene.setPaths(episode.sensed, now, size);
    cloudAt(now);
    ranks(ranking, episode, now);
    redraw();
    const at = now;
    const found = name ? await model(name) : null;
    if (at === now) scene.setGhost(found, name ? pose(episode, at) : null, size);
    canvas.dataset.step = String(now);
  }

  function cloudAt(step: number): void {
    const places = episode.cloud?.place[step] ?? [];
    const evidence = episode.cloud?.evidence[step] ?? [];
    const high = Math.max(1e-9, ...evidence);
    const low = Math.min(high, ...evidence);
    scene.setCloud(Float32Array.from(places.flat()), Float32Array.from(evidence, (e) => (e - low) / (high - low || 1)), size);
  }

  function toggle(): void {
    if (timer) {
      clearInterval(timer);
      timer = 0;
    } else {
      if (now >= last) void show(0);
      const [from, began] = [now, performance.now()];
      // by the clock: where pictures take longer than a step, steps are left out
      timer = window.setInterval(() => (now >= last ? toggle() : void show(from + Math.floor((performance.now() - began) / STEP_MS))), STEP_MS);
    }
    play.textContent = timer ? "❚❚" : "▶";
    play.setAttribute("aria-label", timer ? "Pause" : "Play");
  }

  const keys = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
    if (event.key === " " && !(event.target instanceof HTMLButtonElement)) toggle();
    else if (event.key === "ArrowRight") void show(now + 1);
    else if (event.key === "ArrowLeft") void show(now - 1);
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", keys);
  onLeave(() => removeEventListener("keydown", keys));

  try {
    const mesh = await view<MeshData>(key, "mesh", { object: episode.object });
    size = extent(mesh.vertices);
    scene.setThing(mesh, episode.rotation);
  } catch {
    const own = await model(episode.object);
    if (own) size = extent(own.points);
  }
  await show(first);
}

function extent(points: number[][]): number {
  let far = 0;
  for (const p of points) far = Math.max(far, Math.hypot(p[0], p[1], p[2]));
  return far || 0.1;
}

/** Where the believed model lies: what is sensed is at the hypothesis' location on it. */
function pose(episode: Episode, step: number): Placement | null {
  const turn = episode.best_rotation[step];
  const location = episode.best_location[step];
  const sensed = episode.sensed[step][0];
  if ([...turn.flat(), ...location, ...sensed].some((value) => value === null)) return null;
  const rotation = [0, 1, 2].map((i) => [0, 1, 2].map((j) => turn[j][i] as number));
  const origin = rotation.map((row, i) => (sensed[i] as number) - row.reduce((sum, value, j) => sum + value * (location[j] as number), 0));
  return { rotation, origin };
}

/** The objects whose curves are drawn: the one shown, the one reported, and the strongest. */
function lineOrder(episode: Episode): number[] {
  const most = episode.objects.map((_, n) => Math.max(-Infinity, ...episode.object_evidence.map((row) => row[n] ?? -Infinity)));
  const order = episode.objects.map((_, n) => n).sort((a, b) => most[b] - most[a]);
  const first = [episode.objects.indexOf(episode.object), episode.objects.indexOf(episode.detected)].filter((n) => n >= 0);
  return [...new Set([...first, ...order])].slice(0, LINES);
}

function tint(episode: Episode, n: number): string {
  return episode.objects[n] === episode.object ? colour("good") : episode.objects[n] === episode.detected ? colour("bad") : `hsl(${hue(episode.objects[n])} 35% ${isDark() ? 62 : 55}%)`;
}

function drawCurves(canvas: HTMLCanvasElement, episode: Episode, order: number[], now: number): void {
  const context = fit(canvas);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [left, bottom] = [44, height - 30];
  context.clearRect(0, 0, width, height);
  context.font = "11px ui-sans-serif, system-ui, sans-serif";
  let [low, high] = [0, 1];
  for (const row of episode.object_evidence) for (const n of order) if (row[n] !== null) [low, high] = [Math.min(low, row[n] as number), Math.max(high, row[n] as number)];
  const x = (step: number) => left + ((width - left - 10) * step) / Math.max(1, episode.steps_traced - 1);
  const y = (value: number) => bottom - ((bottom - 10) * (value - low)) / (high - low);
  context.fillStyle = colour("quiet");
  context.strokeStyle = colour("line");
  for (let k = 0; k <= 4; k++) {
    const value = low + ((high - low) * k) / 4;
    context.beginPath();
    context.moveTo(left, y(value));
    context.lineTo(width - 10, y(value));
    context.stroke();
    context.textAlign = "right";
    context.fillText(value.toFixed(high - low > 20 ? 0 : 1), left - 6, y(value) + 4);
  }
  context.textAlign = "center";
  const ticks = Math.min(6, episode.steps_traced - 1);
  for (let k = 0; k <= ticks; k++) {
    const step = Math.round(((episode.steps_traced - 1) * k) / Math.max(1, ticks));
    context.fillText(String(step + 1), x(step), height - 16);
  }
  context.fillText("step", (left + width) / 2, height - 3);
  for (const n of [...order].reverse()) {
    context.strokeStyle = tint(episode, n);
    context.lineWidth = episode.objects[n] === episode.object || episode.objects[n] === episode.detected ? 2.2 : 1.2;
    context.beginPath();
    let open = false;
    episode.object_evidence.forEach((row, step) => {
      const value = row[n];
      if (value === null || step >= episode.steps_traced) open = false;
      else if (open) context.lineTo(x(step), y(value));
      else {
        context.moveTo(x(step), y(value));
        open = true;
      }
    });
    context.stroke();
  }
  context.strokeStyle = colour("ink");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x(now), 4);
  context.lineTo(x(now), bottom);
  context.stroke();
}

function ranks(list: HTMLElement, episode: Episode, now: number): void {
  const row = episode.object_evidence[now] ?? [];
  const order = episode.objects.map((_, n) => n).filter((n) => row[n] !== null).sort((a, b) => (row[b] as number) - (row[a] as number)).slice(0, LINES);
  replace(list, order.map((n) => h("li", {}, h("i", { style: `background:${tint(episode, n)}` }), h("span", {}, episode.objects[n]), h("b", {}, (row[n] as number).toFixed(1)))));
}
