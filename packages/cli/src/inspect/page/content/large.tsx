import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton, saveFile } from '../parts.tsx';
import { large } from '../state.ts';
import { SearchableText } from './lines.tsx';

/** A text over the whole window, where one is open. */
export function Large(): JSX.Element | null {
  const box = useRef<HTMLDialogElement>(null);
  const shown = large.value;
  useEffect(() => {
    if (shown === undefined || box.current?.open === true) return;
    box.current?.showModal();
    box.current?.querySelector<HTMLElement>('input')?.focus();
  }, [shown]);
  if (shown === undefined) return null;
  const { title, text } = shown;
  return (
    <dialog
      ref={box}
      class="large"
      aria-label={title}
      onClose={() => (large.value = undefined)}
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f') return;
        event.preventDefault();
        box.current?.querySelector<HTMLElement>('input')?.focus();
      }}
    >
      <div class="large-bar">
        <h2>{title}</h2>
        <span class="space" />
        <CopyButton text={text} what="text" />
        <button
          type="button"
          class="small"
          onClick={() => saveFile(/^\s*[{[]/.test(text) ? 'result.json' : 'result.txt', text)}
        >
          Save
        </button>
        <button type="button" class="small" onClick={() => box.current?.close()}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <SearchableText text={text} label="Large text" />
    </dialog>
  );
}
