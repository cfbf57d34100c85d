import "./style.css";
// The page: which recording, which view, light or dark. The same file is the worker that lays out graphs.

import { ask, forget, Listed, Summary, view } from "./api";
import { beside, besideAddress } from "./beside";
import { h, leave, onLeave, replace } from "./dom";
import { helpDialog } from "./help";
import { kernels } from "./kernels";
import { serveLayouts } from "./layout";
import { memory } from "./memory";
import { minds } from "./minds";
import { overview } from "./overview";
import { rewrites } from "./rewrites";
import { here } from "./route";
import { timeline } from "./timeline";

const PROGRAM = ["overview", "rewrites", "kernels", "memory", "timeline"];
const RUN = ["minds"];
const LIVE_MS = 1500;

class Page {
  private readonly main = h("main", { id: "view", tabindex: -1 });
  private readonly tabs = h("nav", { class: "tabs", "aria-label": "Views" });
  private readonly notice = h("p", { class: "notice", role: "alert", hidden: true });
  private readonly help = helpDialog();
  private readonly split = h("button", { type: "button", "aria-label": "Two views side by side", title: "Two views side by side (b)", onclick: () => this.toggleBeside() }, "◫");
  private readonly select: HTMLSelectElement;
  private shown = 0;

  constructor(private readonly listed: Listed[]) {
    const options = listed.map((each) => h("option", { value: each.key }, each.name));
    this.select = h("select", { "aria-label": "Recording", onchange: () => (location.hash = `#/${this.select.value}`) }, options);
    const app = document.getElementById("app") as HTMLElement;
    replace(app,
      h("a", { class: "skip", href: "#view", onclick: (event: Event) => { event.preventDefault(); this.main.focus(); } }, "Skip to the view"),
      h("header", { class: "top" },
        h("h1", {}, "saccade"),
        listed.length > 1 ? this.select : h("span", { class: "quiet name" }, listed[0]?.name ?? ""),
        this.tabs,
        h("div", { class: "right" },
          window.top === window ? this.split : null,
          h("button", { type: "button", "aria-label": "Light or dark", title: "Light or dark", onclick: () => theme() }, "◐"),
          h("button", { type: "button", "aria-label": "Help", title: "Help (?)", onclick: () => this.help.showModal() }, "?"))),
      this.notice, this.main, this.help);
    addEventListener("hashchange", () => void this.show());
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("beside", () => this.toggleBeside());
    void this.show();
  }

  private views(key: string): string[] {
    return this.listed.find((each) => each.key === key)?.kind === "run" ? RUN : PROGRAM;
  }

  private async show(): Promise<void> {
    const turn = ++this.shown;
    const all = here();
    this.tabs.hidden = this.select.hidden = all[0] === "beside";
    if (all[0] === "beside") return this.showBeside(all.slice(1));
    const [key = this.listed[0]?.key ?? "", wanted, ...parts] = all;
    const views = this.views(key);
    const name = wanted && views.includes(wanted) ? wanted : views[0];
    leave();
    this.select.value = key;
    document.title = `${name} · ${this.listed.find((each) => each.key === key)?.name ?? "saccade"}`;
    replace(this.tabs, views.map((each) => h("a", { href: `#/${key}/${each}`, "aria-current": each === name ? "page" : false }, each[0].toUpperCase() + each.slice(1))));
    const box = h("div", { class: `view ${name}` });
    try {
      if (!this.listed.some((each) => each.key === key)) throw new Error("There is no such recording here.");
      replace(this.main, box);
      this.tell("");
      if (name === "minds") await minds(box, key, parts, this.listed.filter((each) => each.kind === "run"));
      else await this.program(box, key, name, parts);
    } catch (error) {
      if (turn !== this.shown) return;
      replace(this.main, h("div", { class: "failure", role: "alert" }, h("h2", {}, "This cannot be shown"), h("p", {}, error instanceof Error ? error.message : String(error))));
    } finally {
      if (turn === this.shown) this.main.dataset.view = name;
    }
  }

  private async program(box: HTMLElement, key: string, name: string, parts: string[]): Promise<void> {
    const summary = await view<Summary>(key, "summary");
    if (!box.isConnected) return;
    this.tell(summary.message);
    if (!summary.ended) this.watch(box, key, name, summary);
    if (name === "overview") overview(box, key, summary);
    else if (name === "rewrites") await rewrites(box, key, summary.computations, parts);
    else if (name === "kernels") await kernels(box, key, summary.computations, parts);
    else if (name === "memory") await memory(box, key, summary.computations, parts);
    else await timeline(box, key);
  }

  private showBeside(parts: string[]): void {
    leave();
    this.tell("");
    document.title = "side by side · saccade";
    const box = h("div", { class: "view" });
    replace(this.main, box);
    beside(box, parts);
    this.main.dataset.view = "beside";
  }

  /** What is shown and the next recording beside it; or the left one alone. */
  private toggleBeside(): void {
    const all = here();
    if (all[0] === "beside") location.hash = `#/${all[1] ?? ""}`;
    else {
      const left = all.length ? all.join("/") : `${this.listed[0]?.key ?? ""}`;
      const place = this.listed.findIndex((each) => each.key === (all[0] ?? this.listed[0]?.key));
      const next = this.listed[(place + 1) % this.listed.length]?.key ?? "";
      location.hash = besideAddress(left, next === all[0] ? left : [next, ...all.slice(1, 2)].join("/"));
    }
  }

  /** A program that goes on: its overview is kept fresh, other views offer what is new. */
  private watch(box: HTMLElement, key: string, name: string, before: Summary): void {
    const timer = window.setInterval(async () => {
      const now = await ask<Summary>(`api/${encodeURIComponent(key)}/summary`).catch(() => null);
      if (!now || !box.isConnected || now.bytes === before.bytes) return;
      forget(key);
      if (name === "overview") void this.show();
      else this.tell(now.message || "the program has ended since", () => void this.show());
    }, LIVE_MS);
    onLeave(() => clearInterval(timer));
  }

  private tell(message: string, again?: () => void): void {
    this.notice.hidden = !message;
    replace(this.notice, message ? `This recording is not whole: ${message}.` : "", message && again ? h("button", { type: "button", onclick: again }, "Show what is new") : null);
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (event.key === "?") this.help.showModal();
    // a view in a frame asks the page that it is in
    else if (event.key === "b") (window.top ?? window).dispatchEvent(new Event("beside"));
    else if (event.key === "/") {
      const search = this.main.querySelector<HTMLInputElement>("input[type=search]");
      if (!search) return;
      search.focus();
      event.preventDefault();
    } else if (/^[1-5]$/.test(event.key)) {
      const link = this.tabs.querySelectorAll("a")[Number(event.key) - 1];
      if (link) location.hash = link.getAttribute("href") ?? "";
    }
  }
}

function theme(): void {
  const dark = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = dark === "dark" ? "light" : "dark";
  dispatchEvent(new Event("themechange"));
}

async function start(): Promise<void> {
  try {
    new Page(await ask<Listed[]>("api/recordings"));
  } catch (error) {
    replace(document.getElementById("app") as HTMLElement, h("div", { class: "failure", role: "alert" }, h("h2", {}, "Nothing to show"), h("p", {}, error instanceof Error ? error.message : String(error))));
  }
}

if (typeof document === "undefined") serveLayouts();
else {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("themechange")));
  void start();
}
