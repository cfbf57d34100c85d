// Where one is: everything after the # of the address, so that every view can be linked to.

/** Go there; `quietly`: the address changes, what is shown does not. */
export function go(address: string, quietly = false): void {
  if (quietly) history.replaceState(null, "", address);
  else location.hash = address;
}

export function here(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}
