// A graph by the lines of the program: all nodes of a line are one, until it is opened.

import { GraphNode } from "./graph";

/** A graph with more nodes than this is shown by lines first. */
export const MANY_NODES = 2000;

export interface Grouped {
  nodes: GraphNode[];
  /** the line that a group's id stands for */
  lines: Map<number, string>;
}

/** One node for each line that is not `open`. Ids of groups are negative; nodes without a line stay as they are. */
export function byLine(nodes: GraphNode[], lineOf: (id: number) => string, open: ReadonlySet<string>): Grouped {
  const groups = new Map<string, GraphNode & { members: number; removed: number; added: number }>();
  const lines = new Map<number, string>();
  const home = new Map<number, number>();
  const found: GraphNode[] = [];
  for (const node of nodes) {
    const line = lineOf(node.id);
    if (!line || open.has(line)) {
      home.set(node.id, node.id);
      found.push({ ...node, rank: node.id });
      continue;
    }
    let group = groups.get(line);
    if (!group) {
      const id = -2 - groups.size;
      group = { id, label: line, detail: "", group: line, src: [], rank: node.id, members: 0, removed: 0, added: 0 };
      groups.set(line, group);
      lines.set(id, line);
      found.push(group);
    }
    group.members++;
    group.rank = Math.min(group.rank as number, node.id);
    if (node.mark === "removed") group.removed++;
    if (node.mark === "added") group.added++;
    home.set(node.id, group.id);
  }
  const at = new Map(found.map((node) => [node.id, node]));
  const sources = new Map<number, Set<number>>(found.map((node) => [node.id, new Set()]));
  for (const node of nodes) {
    const own = home.get(node.id) as number;
    for (const source of node.src) {
      const other = home.get(source);
      if (other !== undefined && other !== own) sources.get(own)?.add(other);
    }
  }
  for (const [id, set] of sources) (at.get(id) as GraphNode).src = [...set];
  for (const group of groups.values()) {
    group.mark = group.removed ? "removed" : group.added ? "added" : undefined;
    const change = group.removed ? `, ${group.removed} gone` : group.added ? `, ${group.added} new` : "";
    group.detail = `${group.members} node${group.members === 1 ? "" : "s"}${change}`;
  }
  return { nodes: found, lines };
}
