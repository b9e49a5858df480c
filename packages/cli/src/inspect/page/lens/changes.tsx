import type { JSX } from 'preact';
import type { LensView } from '../../view.ts';
import { coded } from '../parts.tsx';

const signs: Readonly<Record<string, string>> = { 'left-out': '−', filled: '+', adapted: '~', refused: '✕' };
const words: Readonly<Record<string, string>> = {
  'left-out': 'left out',
  filled: 'filled in',
  adapted: 'changed',
  refused: 'refused',
};

/** Changes of a message, each with its reason. */
export function LensChanges({ changes }: Pick<LensView, 'changes'>): JSX.Element | null {
  if (changes.length === 0) return null;
  return (
    <ul class="changes">
      {changes.slice(0, 200).map(({ path, kind, title, why }, at) => (
        <li key={at}>
          <b class={kind}>
            <span aria-hidden="true">{signs[kind] ?? '~'} </span>
            {words[kind] ?? kind}
          </b>{' '}
          <code>{path === '' ? 'the message' : path}</code>
          {title !== undefined && <> {coded(title)}</>}
          {why !== undefined && <span class="muted">: {coded(why)}</span>}
        </li>
      ))}
    </ul>
  );
}
