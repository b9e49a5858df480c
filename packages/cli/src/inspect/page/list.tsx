import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A long list of rows of one height, of which only those in view are in the document. */
export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** Height of a row, in pixels. */
  readonly height: number;
  /** Index of the chosen row; -1 for none. */
  readonly at: number;
  /** Index of the row that the next key chooses where none is chosen, such as the one that was; none by default. */
  readonly resume?: number;
  /** Key of a row, which is the end of its id. */
  keyOf(index: number): string | number;
  /** Cells of a row. */
  cells(index: number): ComponentChildren;
  rowClass?(index: number): string;
  onChoose(index: number): void;
  onOpen?(index: number): void;
  /** Called for the chosen row by the key that opens and folds, instead of `onOpen`. */
  onFold?(index: number): void;
  /** True where new rows at the end are scrolled to, as long as the end is in view. */
  readonly follows?: boolean;
  /** Cells of the head; created each time, since a stored node would keep everything that was drawn with it. */
  head?(): ComponentChildren;
  readonly className?: string;
  /** Index of the row that is in view at first, with some before it; the beginning, or where rows come the end, by default. */
  readonly first?: number | undefined;
}

/** Rows beyond the view that are drawn too, and those that stand before the one that is in view at first. */
const margin = 8;
const before = 3;

let lists = 0;

/** Part of a list that is looked at, in pixels. */
interface ViewOfList {
  readonly top: number;
  readonly height: number;
}

/** Draws it: one focus for all rows, which survives that the chosen one leaves the view. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { label, count, height, at, keyOf, head, className } = props;
  const box = useRef<HTMLDivElement>(null);
  const [name] = useState(() => `list-${++lists}`);
  const { view, look } = useView(box, props);
  const first = Math.max(Math.floor(view.top / height) - margin, 0);
  const last = Math.min(Math.ceil((view.top + view.height) / height) + margin, count);
  const rows = Array.from({ length: Math.max(last - first, 0) }, (_, index) => first + index);
  const isDrawn = at >= first && at < last;
  return (
    <div
      ref={box}
      class={`list ${className ?? ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={count + (head === undefined ? 0 : 1)}
      aria-activedescendant={isDrawn ? `${name}-${keyOf(at)}` : undefined}
      tabIndex={0}
      onScroll={look}
      onKeyDown={(event) => step(event, props, view)}
    >
      {head !== undefined && (
        <div class="list-head" role="row" aria-rowindex={1}>
          {head()}
        </div>
      )}
      <div class="list-all" role="rowgroup" style={{ height: `${count * height}px` }}>
        {rows.map((index) => (
          <div
            key={keyOf(index)}
            id={`${name}-${keyOf(index)}`}
            class={`row ${index === at ? 'chosen' : ''} ${props.rowClass?.(index) ?? ''}`}
            role="row"
            aria-rowindex={index + (head === undefined ? 1 : 2)}
            aria-selected={index === at}
            style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
            onClick={() => {
              props.onChoose(index);
              props.onOpen?.(index);
            }}
          >
            {props.cells(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Follows what is looked at: the end where rows come, and the chosen row. */
function useView(
  box: RefObject<HTMLDivElement | null>,
  { count, height, at, follows, head, first }: VirtualListProps,
): { readonly view: ViewOfList; look(): void } {
  const isAtEnd = useRef(true);
  const [view, setView] = useState<ViewOfList>({ top: 0, height: 400 });
  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight, scrollHeight } = element;
    // A hidden list need not be measured.
    if (clientHeight === 0) return;
    isAtEnd.current = top + clientHeight >= scrollHeight - height;
    setView((now) => (now.top === top && now.height === clientHeight ? now : { top, height: clientHeight }));
  };
  // What lives as long as the list holds the latest, and not the first, with all that was drawn then.
  const resized = (): void => {
    const element = box.current;
    if (element !== null && follows === true && isAtEnd.current) element.scrollTop = element.scrollHeight;
    look();
  };
  const latest = useRef(resized);
  latest.current = resized;
  useLayoutEffect(() => observed(box.current, latest), []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || first === undefined) return;
    element.scrollTop = Math.max(first - before, 0) * height;
    look();
  }, [first]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows === true && isAtEnd.current) element.scrollTop = element.scrollHeight;
    look();
  }, [count]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || at < 0) return;
    const top = at * height;
    const room = element.clientHeight - (head === undefined ? 0 : height);
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + room) element.scrollTop = top + height - room;
    look();
  }, [at]);
  return { view, look };
}

function observed(element: HTMLDivElement | null, look: { readonly current: () => void }): (() => void) | undefined {
  if (element === null) return undefined;
  const observer = new ResizeObserver(() => look.current());
  observer.observe(element);
  return () => observer.disconnect();
}

function step(
  event: KeyboardEvent,
  { count, height, at, resume = -1, onChoose, onOpen, onFold }: VirtualListProps,
  view: ViewOfList,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey || count === 0) return;
  const page = Math.max(Math.floor(view.height / height) - 1, 1);
  const last = count - 1;
  const goals: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at < 0 ? last : at - 1,
    k: at < 0 ? last : at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  const isBack = at < 0 && resume >= 0 && /^(?:ArrowDown|ArrowUp|j|k|Enter)$/.test(event.key);
  const goal = isBack ? resume : goals[event.key];
  if (goal !== undefined) onChoose(Math.min(Math.max(goal, 0), last));
  else if (event.key === 'Enter' && at >= 0) (onFold ?? onOpen)?.(at);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
