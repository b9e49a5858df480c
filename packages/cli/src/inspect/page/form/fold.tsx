/** A part of a form that opens and closes. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { FieldExplanation, Head, Messages, Name } from './frame.tsx';
import { problemsHere } from './model/problems.ts';
import type { FieldShape } from './model/shape.ts';

/** Depth to which parts are open at first. */
const deepestOpen = 3;

interface FoldProps {
  readonly field: FieldProps;
  readonly shape: FieldShape;
  readonly empty: readonly [string, string];
  readonly words: string;
  /** Count of the fields in it, as far as they are shown at first. */
  readonly size: number;
  /** Problems that no part tells. */
  readonly own: readonly string[];
  readonly children: () => ComponentChildren;
}

/** A part that opens and closes. Closed parts are not rendered, since a schema may be infinite. */
export function Fold({ field, shape, empty, words, size, own, children }: FoldProps): JSX.Element {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const shallow = field.path.length <= deepestOpen;
  const absent = field.node === undefined;
  const [open, setOpen] = useOpening(shallow && (!absent || field.required === true || field.bare === true), size);
  const all = problemsHere(field.problems, () => false);
  return (
    <div class="form-field form-fold" ref={frame} role="group" aria-labelledby={`${id}-label`}>
      <Head field={{ ...field, inner: false }} shape={shape} empty={empty} frame={frame}>
        <button
          type="button"
          class="form-toggle"
          aria-expanded={open}
          aria-controls={open ? `${id}-body` : undefined}
          onClick={() => setOpen(!open)}
        >
          <span class="form-mark" aria-hidden="true">
            {open ? '▾' : '▸'}
          </span>
          <span id={`${id}-label`} class="form-label">
            <Name field={field} shape={shape} />
          </span>
          <span class="form-word">{words}</span>
        </button>
      </Head>
      {open && (
        <div class="form-body" id={`${id}-body`}>
          <FieldExplanation shape={shape} />
          {children()}
        </div>
      )}
      <Messages messages={open ? own : all} waits={absent} />
    </div>
  );
}

/** State of a part: it is open at first where that is wished, and where the form has room for its fields. */
function useOpening(isWished: boolean, size: number): [boolean, (open: boolean) => void] {
  const { room } = useForm();
  const [taken] = useState(() => {
    const fields = Math.max(size, 1);
    if (!isWished || fields > room.left) return 0;
    room.left -= fields;
    return fields;
  });
  useEffect(() => () => void (room.left += taken), []);
  return useState(taken > 0);
}
