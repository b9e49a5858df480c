/** Keeps the focus for keyboard users: the focused element may leave the page. */

const resumers =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

/** Parts of a chosen list item that can be filled in or pressed. */
export const chosenPlaces: readonly string[] = [
  '.chosen-one .form :is(input, select, textarea)',
  '.chosen-one .doing',
  '.chosen-one',
];

/** Gives the focus to a place, or to the first thing in it that takes it and is seen. @returns Whether there is one. */
export function focusIn(place: Element | null | undefined): boolean {
  if (!(place instanceof HTMLElement)) return false;
  for (const one of [place, ...place.querySelectorAll<HTMLElement>(resumers)]) {
    if (one.tabIndex < 0 || !one.checkVisibility()) continue;
    one.focus();
    if (document.activeElement === one) return true;
  }
  return false;
}

/** Gives the focus to the first of some places that takes it, once what was just done is drawn. */
export function focusSoon(...places: readonly string[]): void {
  setTimeout(() => places.some((place) => focusIn(document.querySelector(place))), 0);
}

/** Does so where nothing has it any more, since what had it is not shown now. */
export function focusIfLost(...places: readonly string[]): void {
  setTimeout(() => {
    if (isLost()) places.some((place) => focusIn(document.querySelector(place)));
  }, 0);
}

/** Scrolls what has the focus into view again, where it is in a place, and a person with keys is there. */
export function keepFocusInView(place: string): void {
  const { activeElement } = document;
  if (activeElement?.matches(`${place} :focus-visible`) === true) activeElement.scrollIntoView({ block: 'nearest' });
}

function isLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || !activeElement.checkVisibility();
}

/** Gives the focus to what stands nearest where its holder leaves the page, as a button does that was pressed. */
export function keepFocus(): void {
  let path: readonly Element[] = [];
  document.addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? withAncestors(target) : [];
  });
  document.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget !== null) return;
    // Who clicks beside everything wants it nowhere; what left the page is none of that.
    setTimeout(() => {
      if (path[0]?.isConnected === true && document.activeElement !== path[0]) path = [];
    }, 0);
  });
  new MutationObserver(() => {
    const [holder] = path;
    if (holder === undefined || holder.isConnected || !isLost()) return;
    const places = path.filter((one) => one.isConnected);
    path = [];
    places.some((one) => focusIn(one));
  }).observe(document.body, { childList: true, subtree: true });
}

function withAncestors(one: Element): readonly Element[] {
  const path: Element[] = [];
  for (let at: Element | null = one; at !== null; at = at.parentElement) path.push(at);
  return path;
}
