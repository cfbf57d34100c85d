// Minds: why a mug was taken for a bowl. Episodes, wrong ones first; one of them step by step, alone or beside
// another module, the second best hypothesis, or another run.

import { Listed, view } from "./api";
import { h, onLeave, replace } from "./dom";
import { Episode, EpisodeList, ListedEpisode, listEpisodes } from "./episode";
import { Layers, Lens, LensView, moduleTable, player } from "./replay";
import { go } from "./route";

const LIVE_MS = 2000;
const MOST_LISTED = 2000;

/** Where in Minds one is: `#/KEY/minds/EPISODE/STEP/MODULE/COMPARED`, compared with `second`, `learned`, `m3` or `r1`. */
interface Place {
  key: string;
  id: string;
  step: number;
  module: number;
  compared: string;
}

function address(place: Place): string {
  const { key, id, step, module, compared } = place;
  return `#/${key}/minds/${id}/${step}/${module}${compared ? `/${compared}` : ""}`;
}

export async function minds(box: HTMLElement, key: string, parts: string[], runs: Listed[]): Promise<void> {
  const list = await listEpisodes(key);
  const following = parts[0] === "latest";
  const id = following ? list.latest : (parts[0] ?? list.episodes.find((each) => each.traced)?.id ?? list.episodes[0]?.id);
  const aside = h("aside", { "aria-label": "Episodes" });
  const main = h("section", { class: "stage" });
  replace(box, h("div", { class: "split" }, aside, main));
  fillList(aside, key, list, id, following);
  if (!list.complete) watch(box, aside, key, list, id, following);
  if (!id) {
    replace(main, h("p", { class: "quiet pad" }, list.complete ? "No episode of this run asked for an object." : "No episode of this run has ended yet that asked for an object; the list fills while the run goes on."));
    return;
  }
  const episode = await view<Episode>(key, "episode", { id });
  const place = { key, id, step: parts[1] === undefined ? episode.steps_traced - 1 : Number(parts[1]), module: clamped(Number(parts[2] ?? episode.judged), episode), compared: parts[3] ?? "" };
  // who follows a run keeps the address that says so
  await replay(main, place, episode, runs, (step) => go(following ? `#/${key}/minds/latest` : address({ ...place, step }), true));
}

function clamped(module: number, episode: Episode): number {
  return Math.max(0, Math.min(episode.modules.length - 1, Number.isFinite(module) ? module : 0));
}

function fillList(aside: HTMLElement, key: string, list: EpisodeList, wanted: string | undefined, following: boolean): void {
  const lines = list.episodes.slice(0, MOST_LISTED).map((each) => line(each, key, each.id === wanted));
  const wrong = list.episodes.filter((each) => !each.correct).length;
  const more = list.episodes.length > MOST_LISTED ? `, the first ${MOST_LISTED} listed` : "";
  const live = h("a", { class: "live", href: following ? `#/${key}/minds` : `#/${key}/minds/latest`, "aria-pressed": String(following) }, following ? "● following the run" : "○ follow the run");
  replace(aside, h("p", { class: "quiet small", role: "status" }, `${list.episodes.length} episodes, ${wrong} wrong${more}${list.complete ? "" : "; the run goes on"}`), list.complete ? null : live, h("ol", { class: "episodes" }, lines));
}

function line(each: ListedEpisode, key: string, chosen: boolean): HTMLElement {
  return h("li", { class: each.correct ? "right-answer" : "wrong" }, h("a", { href: `#/${key}/minds/${each.id}`, "aria-current": chosen ? "true" : false },
    h("b", {}, each.correct ? each.object : `${each.object} → ${each.detected || "nothing"}`),
    h("span", {}, `${each.id}, ${each.ending}, ${each.steps} steps${each.rotation_error === null ? "" : `, ${each.rotation_error.toFixed(0)}° off`}`)));
}

/** While a run goes on: list what has ended since, and go there if it is followed. */
function watch(box: HTMLElement, aside: HTMLElement, key: string, before: EpisodeList, wanted: string | undefined, following: boolean): void {
  let known = before;
  const timer = window.setInterval(async () => {
    const list = await listEpisodes(key).catch(() => null);
    if (!list || !box.isConnected) return;
    if (list.complete) clearInterval(timer);
    if (list.episodes.length === known.episodes.length && list.complete === known.complete) return;
    known = list;
    fillList(aside, key, list, wanted, following);
    if (following && list.latest !== wanted) dispatchEvent(new Event("hashchange"));
  }, LIVE_MS);
  onLeave(() => clearInterval(timer));
}

async function replay(main: HTMLElement, place: Place, episode: Episode, runs: Listed[], tell: (step: number) => void): Promise<void> {
  const layers: Layers = { ghost: true, cloud: true, votes: true, goal: true, patches: true, byObject: false };
  const own: Lens = { key: place.key, title: episode.modules[place.module], episode, module: place.module, belief: "best" };
  const other = await comparedLens(place, episode, runs);
  const lenses = other ? [own, other] : [own];
  const verdict = episode.correct ? `recognised (${episode.ending})` : `taken for ${episode.detected || "nothing"} (${episode.ending})`;
  const box = h("div", { class: other ? "lenses two" : "lenses" });
  const controls = h("div", { class: "bar" });
  replace(main,
    h("header", { class: "stage-head" }, h("h2", {}, episode.object), h("span", { class: episode.correct ? "quiet" : "badge" }, verdict)),
    controls, box);
  const views = lenses.map((lens) => new LensView(lens, layers));
  const modules = moduleTable(episode, place.module, (module) => go(address({ ...place, module, step: at })));
  let at = place.step;
  const moved = player(views, place.step, (step) => {
    at = step;
    modules.show(step);
    tell(step);
  });
  replace(box, views.map((each) => each.element));
  main.append(legend(episode), moved.element, modules.element);
  replace(controls, compareSelect(place, episode, runs, () => at), switches(layers, episode, moved.again));
  if (views.length === 2) views[0].scene.follow(views[1].scene);
  await Promise.all(views.map((each) => each.open()));
  await moved.show(place.step);
}

/** The second picture, if one is asked for. */
async function comparedLens(place: Place, episode: Episode, runs: Listed[]): Promise<Lens | null> {
  const { compared, module, key } = place;
  if (compared === "second") return { key, title: "the second best hypothesis", episode, module, belief: "second" };
  if (compared === "learned") return { key, title: `what ${episode.modules[module]} learned of the ${episode.object}`, episode, module, belief: "learned" };
  if (/^m\d+$/.test(compared)) {
    const other = clamped(Number(compared.slice(1)), episode);
    return { key, title: episode.modules[other], episode, module: other, belief: "best" };
  }
  const run = runs.find((each) => `r${each.key}` === compared);
  if (!run) return null;
  const theirs = await view<Episode>(run.key, "episode", { id: episode.id });
  return { key: run.key, title: `${run.name}: ${theirs.correct ? "recognised" : `taken for ${theirs.detected || "nothing"}`}`, episode: theirs, module: clamped(module, theirs), belief: "best" };
}

function compareSelect(place: Place, episode: Episode, runs: Listed[], step: () => number): HTMLElement {
  const options: [string, string][] = [["", "nothing beside it"]];
  if (episode.second) options.push(["second", "beside: the second best hypothesis"]);
  if (episode.objects.includes(episode.object)) options.push(["learned", `beside: what was learned of the ${episode.object}`]);
  episode.modules.forEach((name, module) => module !== place.module && options.push([`m${module}`, `beside: ${name}`]));
  for (const run of runs) if (run.key !== place.key) options.push([`r${run.key}`, `beside: the same episode of ${run.name}`]);
  const select = h("select", { "aria-label": "Compare with", onchange: () => go(address({ ...place, step: step(), compared: select.value })) },
    options.map(([value, text]) => h("option", { value, selected: value === place.compared }, text)));
  return select;
}

function switches(layers: Layers, episode: Episode, again: () => void): HTMLElement {
  const one = (name: keyof Layers, text: string, shown = true) => {
    if (!shown) return null;
    const box = h("input", { type: "checkbox", checked: layers[name], "aria-label": text, onchange: () => {
      layers[name] = box.checked;
      again();
    } });
    return h("label", { class: "switch" }, box, ` ${text}`);
  };
  return h("span", { class: "switches" }, one("ghost", "ghost"), one("cloud", "hypotheses", episode.cloud !== null), one("byObject", "colour by object", episode.cloud !== null), one("votes", "votes", episode.votes.some((each) => each.length > 0)), one("goal", "goals"), one("patches", "patches"));
}

function legend(episode: Episode): HTMLElement {
  return h("p", { class: "legend small quiet" }, h("i", { class: "path" }), " where the sensor was ", h("i", { class: "ghost" }), " the model it believes in, as it believes it to stand ",
    episode.cloud ? [h("i", { class: "cloud" }), " where hypotheses put the sensor, weak to strong "] : "(--set recording.hypotheses=500 would show hypotheses) ",
    episode.votes.some((each) => each.length > 0) ? [h("i", { class: "agree" }), " a vote that is believed ", h("i", { class: "differ" }), " one that is not "] : null,
    h("i", { class: "goal" }), " a goal: where the mind wants to look");
}
