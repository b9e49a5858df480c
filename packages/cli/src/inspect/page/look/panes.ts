/** Sizes of the panes. The browser remembers them for each class of window widths. */

import { effect, signal, type Signal } from '@preact/signals';

/** Panes with a border that moves. */
export type Pane = 'servers' | 'list' | 'side' | 'wire';

interface PaneState {
  /** Width, or height of the wire, in pixels. */
  readonly size: number;
  readonly isOpen: boolean;
}

type Panes = Readonly<Record<Pane, PaneState>>;

/** Smallest and largest size of each pane, in pixels. */
export const paneLimits: Readonly<Record<Pane, readonly [least: number, most: number]>> = {
  servers: [150, 480],
  list: [180, 640],
  side: [280, 1_100],
  wire: [120, 1_600],
};

/** Classes of window widths: up to which width, and the sizes at first. */
const classes = [
  { name: 'small', until: 1_360, servers: 196, list: 248, side: 400 },
  { name: 'medium', until: 1_760, servers: 208, list: 300, side: 420 },
  { name: 'large', until: Number.POSITIVE_INFINITY, servers: 240, list: 340, side: 560 },
] as const;

function classNow(): (typeof classes)[number] {
  return classes.find(({ until }) => innerWidth < until) ?? classes[2];
}

function keyOf(name: string): string {
  return `parley-panes-${name}`;
}

/** The panes of a class as they were left. A stored text may be anything. */
function remembered({ name, servers, list, side }: (typeof classes)[number]): Panes {
  const first: Panes = {
    servers: { size: servers, isOpen: true },
    list: { size: list, isOpen: true },
    side: { size: side, isOpen: false },
    wire: { size: Math.round(innerHeight * 0.4), isOpen: false },
  };
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? '{}');
    const known = typeof stored === 'object' && stored !== null ? (stored as Partial<Panes>) : {};
    const paneOf = (pane: Pane): PaneState => {
      const { size, isOpen } = { ...first[pane], ...known[pane] };
      return { size: within(pane, Number(size)) || first[pane].size, isOpen: isOpen === true };
    };
    return { servers: paneOf('servers'), list: paneOf('list'), side: paneOf('side'), wire: paneOf('wire') };
  } catch {
    return first;
  }
}

function within(pane: Pane, size: number): number {
  const [least, most] = paneLimits[pane];
  return Math.round(Math.min(Math.max(size, least), most));
}

const current: Signal<(typeof classes)[number]> = signal(classNow());

export const panes: Signal<Panes> = signal(remembered(current.value));

/** Changes a pane, and remembers it. */
function change(pane: Pane, more: Partial<PaneState>): void {
  panes.value = { ...panes.value, [pane]: { ...panes.value[pane], ...more } };
  localStorage.setItem(keyOf(current.value.name), JSON.stringify(panes.value));
}

export function resizePane(pane: Pane, size: number): void {
  change(pane, { size: within(pane, size), isOpen: true });
}

export function showPane(pane: Pane, isOpen = true): void {
  if (panes.value[pane].isOpen !== isOpen) change(pane, { isOpen });
}

/** Gives the sizes to the style sheet, now and whenever they change. */
export function showPanes(): void {
  addEventListener('resize', () => {
    const now = classNow();
    if (now === current.value) return;
    current.value = now;
    panes.value = remembered(now);
  });
  effect(() => {
    const { style } = document.documentElement;
    for (const [pane, { size }] of Object.entries(panes.value)) style.setProperty(`--${pane}-size`, `${size}px`);
  });
}
