// Two views side by side, each the whole page in a frame of its own: `#/beside/LEFT/RIGHT`.

import { h, onLeave, replace } from "./dom";
import { go } from "./route";

export function besideAddress(left: string, right: string): string {
  return `#/beside/${encodeURIComponent(left)}/${encodeURIComponent(right)}`;
}

export function beside(box: HTMLElement, parts: string[]): void {
  const frames = [0, 1].map((n) => {
    const frame = h("iframe", { title: n ? "Right view" : "Left view" });
    // the address without a fragment, and one that differs, or a frame would be a page inside itself
    frame.src = `?${n ? "right" : "left"}#/${parts[n] ?? ""}`;
    return frame;
  });
  replace(box, h("div", { class: "beside" }, frames));
  const shown = () => frames.map((frame, n) => frame.contentWindow?.location.hash.replace(/^#\/?/, "") || parts[n] || "");
  const timer = window.setInterval(() => {
    const address = besideAddress(shown()[0], shown()[1]);
    if (location.hash !== address) go(address, true);
  }, 500);
  onLeave(() => clearInterval(timer));
}
