import type { JSX } from 'preact';
import { paneLimits, panes, resizePane, showPane, type Pane } from './panes.ts';

/** Pixels by which one press of an arrow key moves a border. */
const step = 16;

const labels: Readonly<Record<Pane, string>> = {
  servers: 'Width of the servers',
  list: 'Width of the list',
  side: 'Width of the side panel',
  wire: 'Height of the wire',
};

/** The border of a pane: the mouse and the arrow keys move it; a double click or Enter folds the pane. */
export function Splitter({ pane }: { readonly pane: Pane }): JSX.Element {
  const { size, isOpen } = panes.value[pane];
  const [least, most] = paneLimits[pane];
  const isRow = pane === 'wire';
  // These panes grow to the left or up.
  const sign = pane === 'side' || pane === 'wire' ? -1 : 1;
  const move = (by: number): void => resizePane(pane, size + sign * by);
  return (
    <div
      class={`splitter splitter-${pane}`}
      role="separator"
      tabIndex={0}
      aria-label={labels[pane]}
      aria-orientation={isRow ? 'horizontal' : 'vertical'}
      aria-valuenow={isOpen ? size : 0}
      aria-valuemin={0}
      aria-valuemax={most}
      title="Drag to resize, double-click to fold"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const { left, top } = event.currentTarget.getBoundingClientRect();
        const by = Math.round(isRow ? event.clientY - top : event.clientX - left);
        if (by !== 0 && (isOpen || sign * by > least / 2)) resizePane(pane, (isOpen ? size : 0) + sign * by);
      }}
      onDblClick={() => showPane(pane, !isOpen)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') showPane(pane, !isOpen);
        else if (event.key === (isRow ? 'ArrowDown' : 'ArrowRight')) move(step);
        else if (event.key === (isRow ? 'ArrowUp' : 'ArrowLeft')) move(-step);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
