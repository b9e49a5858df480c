import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonView as Json } from '../../view.ts';
import { FoldedJson } from '../json/json-view.tsx';

const words = 'As the server lists it';

/** A thing as its list has it, with everything that no form shows: schemas of results, annotations, icons, metadata. */
export function ListedItem({ item }: { readonly item: Json }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words}</summary>
      {isOpen && <FoldedJson text={JSON.stringify(item)} label={words} />}
    </details>
  );
}
