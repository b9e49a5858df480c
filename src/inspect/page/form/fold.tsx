/** A part of a form that opens and closes. */

import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { FieldProps } from './context.ts';
import { Explanation, Name, Messages, States } from './frame.tsx';
import { problemsHere } from './model/problems.ts';
import type { Shape } from './model/shape.ts';

/** Depth to which parts are open at first. */
const deepestOpen = 3;

interface FoldProps {
  readonly field: FieldProps;
  readonly shape: Shape;
  readonly empty: readonly [string, string];
  readonly words: string;
  /** Messages that no part tells. */
  readonly own: readonly string[];
  readonly children: () => ComponentChildren;
}

/** A part that opens and closes: what is closed is not made, since a schema may go on forever. */
export function Fold({ field, shape, empty, words, own, children }: FoldProps): JSX.Element {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const shallow = field.path.length <= deepestOpen;
  const [open, setOpen] = useState(shallow && (field.node !== undefined || field.required === true));
  const inside = problemsHere(field.problems, () => false);
  return (
    <div class="form-field form-fold" ref={frame} role="group" aria-labelledby={id}>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="form-summary">
          <span id={id} class="form-label">
            <Name field={field} shape={shape} />
          </span>
          <span class="form-word">{words}</span>
        </summary>
        {open && (
          <div class="form-body">
            <div class="form-head">
              <Explanation shape={shape} />
              <States field={field} shape={shape} empty={empty} frame={frame} />
            </div>
            {children()}
          </div>
        )}
      </details>
      <Messages messages={open ? own : inside} />
    </div>
  );
}
