// One step after the other of an episode, in one picture or in two side by side that share their steps: two
// modules, the two best hypotheses, or two runs.

import { view } from "./api";
import { drawCurves, lineOrder, ranks, tint } from "./curves";
import { colour, h, hue, onLeave, redrawn, replace } from "./dom";
import { belief, Cloud, cloudOf, Episode, expectCloud, MeshData, modelOf, NO_CLOUD, Patches, patchesOf, point } from "./episode";
import { moduleTint, Scene } from "./scene";

/** Through what an episode is looked at: which module of which run, and its best belief, its second, or what it has learned of the object. */
export interface Lens {
  key: string;
  title: string;
  episode: Episode;
  module: number;
  belief: "best" | "second" | "learned";
}

/** Colours from weak to strong, so that 150,000 points are a lookup each. */
const RAMP = Uint32Array.from({ length: 256 }, (_, level) => packed(ramp(level / 255)));

/** RGBA with red in the lowest byte. */
function packed([red, green, blue]: [number, number, number], light = 1): number {
  return ((255 << 24) | ((255 * light * blue) << 16) | ((255 * light * green) << 8) | (255 * light * red)) >>> 0;
}

function ramp(share: number): [number, number, number] {
  const turn = (0.62 - 0.56 * share) * 6;
  const channel = (offset: number) => Math.min(1, Math.max(0, Math.abs(((turn + offset) % 6) - 3) - 1));
  return [0.08 + 0.87 * channel(0), 0.08 + 0.87 * channel(4), 0.08 + 0.87 * channel(2)];
}

export class LensView {
  readonly element: HTMLElement;
  readonly scene: Scene;
  private readonly belief = h("span", { role: "status" });
  private readonly curves = h("canvas", { role: "img", "aria-label": "Evidence of each object over the steps" });
  private readonly ranking = h("ol", { "aria-label": "Evidence of objects at this step" });
  private readonly thumbs = h("div", { class: "patches", "aria-label": "What the sensors see" });
  private readonly order: number[];
  private readonly redraw: () => void;
  private patches: Patches | null = null;
  private size = 0.1;
  private now = 0;
  private wanted = 0;
  private asked = 0;
  private showing: Promise<void> | null = null;

  constructor(readonly lens: Lens, private readonly layers: Layers) {
    const { episode } = lens;
    const stage = h("div", { class: "scene" });
    this.element = h("section", { class: "lens" },
      h("header", { class: "lens-head" }, h("b", {}, lens.title), this.belief),
      stage, this.thumbs,
      h("div", { class: "curves" }, h("figure", {}, h("figcaption", {}, `evidence over steps, ${episode.modules[lens.module]}; a triangle is a decision`), this.curves), this.ranking));
    this.scene = new Scene(stage);
    this.canvas.setAttribute("aria-label", `The ${episode.object} as it stands, the sensors' paths, and the ghost of what ${episode.modules[lens.module]} believes`);
    this.order = lineOrder(episode, lens.module);
    this.redraw = redrawn(this.curves, () => drawCurves(this.curves, episode, lens.module, this.order, this.now));
  }

  get canvas(): HTMLCanvasElement {
    return this.scene.renderer.domElement;
  }

  /** Load what does not change from step to step. */
  async open(): Promise<void> {
    const { key, episode, module } = this.lens;
    try {
      const mesh = await view<MeshData>(key, "mesh", { object: episode.object });
      this.size = extent(mesh.vertices);
      this.scene.setThing(mesh, episode.rotation);
    } catch {
      const own = await modelOf(key, episode.object, module);
      if (own) this.size = extent(own.points);
    }
    this.patches = await patchesOf(key, episode).catch(() => null);
  }

  /** Show a step. While one is loaded the latest that is asked for waits: a scrub shows all steps that there is time for. */
  show(wanted: number): Promise<void> {
    this.wanted = Math.max(0, Math.min(this.lens.episode.steps_traced - 1, wanted));
    this.asked++;
    this.showing ??= this.catchUp().finally(() => (this.showing = null));
    return this.showing;
  }

  private async catchUp(): Promise<void> {
    for (let done = -1; done !== this.asked; ) {
      done = this.asked;
      await this.showStep(this.wanted);
    }
  }

  private async showStep(step: number): Promise<void> {
    const { key, episode, module } = this.lens;
    const learned = this.lens.belief === "learned";
    const { object, placement } = learned ? { object: episode.objects.indexOf(episode.object), placement: { rotation: episode.rotation, origin: [0, 0, 0] } } : belief(episode, step, module, this.lens.belief === "second");
    const name = learned ? episode.object : object >= 0 ? episode.objects[object] : "";
    const [model, cloud] = await Promise.all([name ? modelOf(key, name, module) : null, this.layers.cloud && !learned ? cloudOf(key, episode, step, module) : NO_CLOUD]);
    if (!this.element.isConnected) return;
    // all at once, so that a step is one picture
    const onward = step < this.now ? -1 : 1;
    this.now = step;
    this.belief.textContent = learned ? ` ${model?.points.length.toLocaleString("en") ?? "no"} points, where the object stands` : this.believed(step, name);
    this.belief.className = learned || name === episode.object || module < episode.judged ? "quiet" : "badge";
    this.thumbnails(step);
    ranks(this.ranking, episode, module, step);
    this.redraw();
    this.scene.setPaths(episode.sensed, step, this.size, module);
    this.signs(step);
    this.scene.setGhost(this.layers.ghost ? model : null, placement, this.size);
    this.scene.setCloud({ places: cloud.places, shades: this.shades(cloud) }, this.size);
    this.canvas.dataset.step = String(step);
    this.canvas.dataset.hypotheses = String(cloud.evidence.length);
    if (this.layers.cloud && !learned) expectCloud(key, episode, step + onward, module);
  }

  private believed(step: number, name: string): string {
    const { episode, module, belief } = this.lens;
    if (!name) return " believes nothing yet";
    return ` ${belief === "second" ? "second:" : "believes:"} ${name}, ${episode.module_possible[step][module]} possible, ${episode.module_hypotheses[step][module].toLocaleString("en")} hypotheses`;
  }

  /** Votes, the goal, and where sensors touch. */
  private signs(step: number): void {
    const { episode } = this.lens;
    const modules = episode.modules.length;
    const spot = (m: number) => point(episode.sensed[step][m]);
    const arrows = this.layers.votes ? episode.votes[step] : [];
    this.scene.setVotes(arrows.flatMap((vote) => {
      const [from, to] = [spot(vote.from), spot(vote.to)];
      return from && to ? [{ from, to, colour: vote.agrees ? colour("good") : colour("bad"), strong: vote.agrees || vote.off === null }] : [];
    }), this.size);
    this.scene.setGoal(this.layers.goal ? point(episode.goal_location[step]) : null, point(episode.goal_normal[step]), this.size);
    const felt = this.layers.patches ? (episode.felt_location?.[step] ?? []) : [];
    this.scene.setPatches(felt.flatMap((at, sensor) => {
      const [place, normal] = [point(at), point(episode.felt_pose?.[step]?.[sensor]?.[0])];
      return place && normal ? [{ at: place, normal, sensor: point(episode.sensor_position[step][sensor]), colour: moduleTint(sensor, modules) }] : [];
    }), this.size);
    this.canvas.dataset.votes = String(arrows.length);
    this.canvas.dataset.goal = point(episode.goal_location[step]) ? "1" : "0";
  }

  private thumbnails(step: number): void {
    const { patches } = this;
    if (!patches || !this.layers.patches) return replace(this.thumbs);
    if (this.thumbs.childElementCount !== patches.sensors) {
      replace(this.thumbs, Array.from({ length: patches.sensors }, (_, sensor) =>
        h("canvas", { width: patches.pixels, height: patches.pixels, role: "img", "aria-label": `What sensor ${sensor} sees`, style: `border-color:${moduleTint(sensor, this.lens.episode.modules.length)}` })));
    }
    [...this.thumbs.children].forEach((canvas, sensor) => {
      const context = (canvas as HTMLCanvasElement).getContext("2d") as CanvasRenderingContext2D;
      const image = context.createImageData(patches.pixels, patches.pixels);
      const pixels = patches.at(step, sensor);
      for (let n = 0, at = 0; at < pixels.length; at++) {
        image.data[n++] = pixels[at];
        if (at % 3 === 2) image.data[n++] = 255;
      }
      context.putImageData(image, 0, 0);
    });
  }

  /** The colour of each hypothesis: by its evidence, or by its object and as light as its evidence. */
  private shades(cloud: Cloud): Uint32Array {
    const { evidence, objects } = cloud;
    let low = Infinity;
    let high = -Infinity;
    for (let n = 0; n < evidence.length; n++) {
      if (evidence[n] < low) low = evidence[n];
      if (evidence[n] > high) high = evidence[n];
    }
    const scale = 255 / (high - low || 1);
    const ramps = this.layers.byObject ? this.lens.episode.objects.map((name) => RAMP.map((_, level) => packed(rgb(hue(name)), 0.35 + (0.65 * level) / 255))) : null;
    const found = new Uint32Array(evidence.length);
    for (let n = 0; n < evidence.length; n++) found[n] = (ramps?.[objects[n]] ?? RAMP)[Math.round((evidence[n] - low) * scale)];
    return found;
  }
}

/** What is drawn beside the thing and the paths. */
export interface Layers {
  ghost: boolean;
  cloud: boolean;
  votes: boolean;
  goal: boolean;
  patches: boolean;
  byObject: boolean;
}

const STEP_MS = 120;

/** Buttons, slider and keys that move all views together. */
export function player(views: LensView[], first: number, tell: (step: number) => void): { element: HTMLElement; show: (step: number) => Promise<void>; again: () => void } {
  const last = Math.max(...views.map((each) => each.lens.episode.steps_traced)) - 1;
  const slider = h("input", { type: "range", min: 0, max: Math.max(0, last), value: 0, "aria-label": "Step", oninput: () => move(Number(slider.value)) });
  const output = h("output", {});
  const play = h("button", { type: "button", "aria-label": "Play", onclick: () => toggle() }, "▶");
  const step = (by: number, label: string, text: string) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => move(now + by) }, text);
  let now = -1;
  let timer = 0;
  onLeave(() => clearInterval(timer));

  async function show(wanted: number): Promise<void> {
    now = Math.max(0, Math.min(last, Number.isFinite(wanted) ? wanted : last));
    slider.value = String(now);
    output.textContent = `step ${now + 1} of ${last + 1}`;
    tell(now);
    await Promise.all(views.map((each) => each.show(now)));
  }

  /** The same for a control: what goes wrong is told beside it. */
  function move(wanted: number): void {
    show(wanted).catch((error) => (output.textContent = error instanceof Error ? error.message : String(error)));
  }

  function toggle(): void {
    if (timer) {
      clearInterval(timer);
      timer = 0;
    } else {
      if (now >= last) move(0);
      const [from, began] = [now, performance.now()];
      // by the clock: where pictures take longer than a step, steps are left out
      timer = window.setInterval(() => (now >= last ? toggle() : move(from + Math.floor((performance.now() - began) / STEP_MS))), STEP_MS);
    }
    play.textContent = timer ? "❚❚" : "▶";
    play.setAttribute("aria-label", timer ? "Pause" : "Play");
  }

  const keys = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
    if (event.key === " " && !(event.target instanceof HTMLButtonElement)) toggle();
    else if (event.key === "ArrowRight") move(now + 1);
    else if (event.key === "ArrowLeft") move(now - 1);
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", keys);
  onLeave(() => removeEventListener("keydown", keys));
  const element = h("div", { class: "player" }, step(-1, "One step back", "◀︎|"), play, step(1, "One step on", "|▶︎"), slider, output);
  return { element, show: (wanted) => show(wanted < 0 ? first : wanted), again: () => move(now) };
}

/** What every module believes at a step; a row chooses the module. */
export function moduleTable(episode: Episode, chosen: number, pick: (module: number) => void): { element: HTMLElement; show: (step: number) => void } {
  const body = h("tbody");
  const element = h("div", { class: "scroll modules" }, h("table", { "aria-label": "Modules at this step" },
    h("thead", {}, h("tr", {}, ["module", "believes", "evidence", "possible", "hypotheses", "votes for it", "decided"].map((name) => h("th", { scope: "col" }, name)))), body));
  function show(wanted: number): void {
    const step = Math.max(0, Math.min(episode.steps_traced - 1, wanted));
    replace(body, episode.modules.map((name, module) => {
      const best = episode.module_best[step][module];
      const column = episode.evidence_of.indexOf(best);
      const heard = episode.votes[step].filter((vote) => vote.to === module);
      const agree = heard.filter((vote) => vote.agrees).length;
      const decision = episode.decisions.filter((each) => each.module === module && each.ending && each.step <= step).sort((a, b) => b.step - a.step)[0];
      const cells = [
        h("span", {}, h("i", { class: "swatch", style: `background:${moduleTint(module, episode.modules.length)}` }), ` ${name}${episode.module_processed[step][module] ? "" : " (felt nothing)"}`),
        best < 0 ? "nothing" : h("span", { style: `color:${tint(episode, best)}` }, episode.objects[best]),
        column < 0 ? "–" : (episode.module_evidence[step][module][column] ?? NaN).toFixed(1),
        episode.module_possible[step][module],
        episode.module_hypotheses[step][module].toLocaleString("en"),
        heard.length ? `${agree} of ${heard.length}` : "–",
        decision ? `${decision.ending} at step ${decision.step + 1}` : "not yet",
      ];
      const line = h("tr", { tabindex: 0, class: module === chosen ? "chosen" : "", onclick: () => pick(module) }, cells.map((cell) => h("td", {}, cell)));
      line.addEventListener("keydown", (event) => event.key === "Enter" && pick(module));
      return line;
    }));
  }
  return { element, show };
}

function rgb(degrees: number): [number, number, number] {
  const turn = degrees / 60;
  const channel = (offset: number) => 0.15 + 0.8 * Math.min(1, Math.max(0, Math.abs(((turn + offset) % 6) - 3) - 1));
  return [channel(0), channel(4), channel(2)];
}

function extent(points: number[][]): number {
  let far = 0;
  for (const p of points) far = Math.max(far, Math.hypot(p[0], p[1], p[2]));
  return far || 0.1;
}
