/** Fields of lists. */

import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { Fold } from './fold.tsx';
import { shortText, plural } from './model/hints.ts';
import { swapItems, remove } from './model/json-edit.ts';
import { problemsHere, problemsIn } from './model/problems.ts';
import type { Schema } from './model/schema-document.ts';
import type { ListShape, FieldShape } from './model/shape.ts';

/** Count of items that are shown at first, and with each "more". */
const step = 100;

interface ListProps {
  readonly field: FieldProps;
  readonly shape: FieldShape;
  readonly list: Pick<ListShape, 'first' | 'rest'>;
}

/** Memory of a list: which item is which while they move, and whether one more is being typed. */
interface Rows {
  ids: number[];
  next: number;
  length: number;
  pending: boolean;
  focus: { readonly id: number; readonly part: string } | 'add' | undefined;
}

/** A list of items, which are added, moved and removed. */
export function ListField({ field, shape, list }: ListProps): JSX.Element {
  const count = field.node?.items.length ?? 0;
  const known = Math.max(count, list.first.length);
  const own = problemsHere(field.problems, (name) => /^\d+$/.test(name) && Number(name) < known);
  const words = field.node === undefined ? 'list' : `list, ${plural(count, 'item')}`;
  return (
    <Fold field={field} shape={shape} empty={['[]', 'empty list']} words={words} size={Math.min(known, step)} own={own}>
      {() => <Items field={field} list={list} />}
    </Fold>
  );
}

function Items({ field, list }: Omit<ListProps, 'shape'>): JSX.Element {
  const form = useForm();
  const [most, setMost] = useState(step);
  const [, draw] = useState(0);
  const part = useRef<HTMLDivElement>(null);
  const kept = useRef<Rows>({ ids: [], next: 0, length: 0, pending: false, focus: undefined });
  const rows = kept.current;
  const length = field.node?.items.length ?? 0;
  settle(rows, length);
  useLayoutEffect(() => refocus(part.current, rows));
  const fixed = list.first.length;
  const total = Math.max(fixed, length + (rows.pending ? 1 : 0));
  const full = list.rest === undefined && total >= fixed;
  return (
    <div ref={part}>
      <ol class="form-items">
        {Array.from({ length: Math.min(total, most) }, (_, index) => (
          <li key={rows.ids[index]} class="form-item" data-row={rows.ids[index]}>
            <Item field={field} index={index} schema={list.first[index] ?? list.rest ?? true} first={fixed} />
            {index >= fixed && (
              <Moves field={field} rows={rows} draw={() => draw(Math.random())} {...{ index, fixed, length }} />
            )}
          </li>
        ))}
      </ol>
      {total > most && (
        <p class="form-more">
          {most} of {plural(total, 'item')} are shown.{' '}
          <button type="button" class="form-button" onClick={() => setMost(most + step)}>
            Show more
          </button>
        </p>
      )}
      {!full && (
        <button
          type="button"
          class="form-button form-another"
          disabled={form.disabled}
          onClick={() => {
            rows.pending = true;
            setMost(Math.max(most, length + 1));
            settle(rows, length);
            rows.focus = { id: rows.ids[Math.max(length, fixed)] ?? 0, part: 'textarea, input, select, summary' };
            draw(Math.random());
          }}
        >
          Add an item<span class="form-hidden"> to {shortText(field.label, 60)}</span>
        </button>
      )}
    </div>
  );

  function settle(state: Rows, now: number): void {
    if (now > state.length) state.pending = false;
    state.length = now;
    const wanted = Math.max(list.first.length, now + (state.pending ? 1 : 0));
    while (state.ids.length < wanted) state.ids.push((state.next += 1));
    state.ids.length = wanted;
  }
}

function refocus(part: HTMLElement | null, rows: Rows): void {
  const { focus } = rows;
  rows.focus = undefined;
  if (focus === undefined || part === null) return;
  const row = focus === 'add' ? part : part.querySelector(`[data-row="${focus.id}"]`);
  const wanted = row?.querySelector<HTMLElement>(focus === 'add' ? ':scope > .form-another' : focus.part);
  wanted?.focus();
}

interface ItemProps {
  readonly field: FieldProps;
  readonly index: number;
  readonly schema: Schema;
  /** Count of items that have a schema of their own. */
  readonly first: number;
}

function Item({ field, index, schema, first }: ItemProps): JSX.Element {
  const { Field } = useForm();
  return (
    <Field
      path={[...field.path, index]}
      schema={schema}
      node={field.node?.items[index]}
      label={`item ${index + 1}`}
      problems={problemsIn(field.problems, index)}
      change={field.change}
      item
      inner={index >= first}
    />
  );
}

interface MovesProps {
  readonly field: FieldProps;
  readonly rows: Rows;
  readonly index: number;
  /** Count of items at the beginning that stay where they are. */
  readonly fixed: number;
  readonly length: number;
  readonly draw: () => void;
}

/** Ways to move an item and to remove it; the focus goes with it. */
function Moves({ field, rows, index, fixed, length, draw }: MovesProps): JSX.Element {
  const form = useForm();
  const of = <span class="form-hidden"> item {index + 1}</span>;
  const move = (to: number, part: string): void => {
    const [one, other] = [rows.ids[index], rows.ids[to]];
    if (one === undefined || other === undefined) return;
    rows.ids[index] = other;
    rows.ids[to] = one;
    const end = to === fixed ? '.form-down' : to === length - 1 ? '.form-up' : part;
    rows.focus = { id: one, part: end };
    field.change((text) => swapItems(text, field.path, [index, to]));
  };
  return (
    <span class="form-moves">
      <button
        type="button"
        class="form-button form-up"
        disabled={form.disabled || index <= fixed || index >= length}
        onClick={() => move(index - 1, '.form-up')}
      >
        <span aria-hidden="true">↑</span>
        <span class="form-hidden">Move up</span>
        {of}
      </button>
      <button
        type="button"
        class="form-button form-down"
        disabled={form.disabled || index >= length - 1}
        onClick={() => move(index + 1, '.form-down')}
      >
        <span aria-hidden="true">↓</span>
        <span class="form-hidden">Move down</span>
        {of}
      </button>
      <button
        type="button"
        class="form-button form-remove"
        disabled={form.disabled}
        onClick={() => {
          if (index >= length) rows.pending = false;
          rows.ids.splice(index, 1);
          const next = rows.ids[index] ?? rows.ids[index - 1];
          rows.focus = next === undefined || rows.ids.length <= fixed ? 'add' : { id: next, part: '.form-remove' };
          if (index < length) field.change((text) => remove(text, [...field.path, index]));
          draw();
        }}
      >
        Remove{of}
      </button>
    </span>
  );
}
