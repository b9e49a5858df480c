import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Small parts that many screens have. */

/** Copies a text, which may have to be made first, and says so. */
export function CopyButton({
  text,
  what,
}: {
  readonly text: string | (() => Promise<string>);
  readonly what: string;
}): JSX.Element {
  const [words, setWords] = useState('');
  const copy = async (): Promise<void> => {
    try {
      const copied = typeof text === 'string' ? text : await text();
      await navigator.clipboard.writeText(copied);
      const unset = what.startsWith('as ') ? variablesIn(copied) : [];
      setWords(unset.length === 0 ? 'copied' : `copied: set ${unset.join(', ')} in the shell`);
      setTimeout(() => setWords(''), unset.length === 0 ? 1_500 : 6_000);
    } catch {
      setWords('not allowed');
      setTimeout(() => setWords(''), 1_500);
    }
  };
  return (
    <button type="button" class="small" data-copies={what} onClick={() => void copy()}>
      {words === '' ? `Copy ${what}` : words}
    </button>
  );
}

/** Variables in a shell line that replace secrets. Text in single quotes has none. */
function variablesIn(line: string): readonly string[] {
  return [...new Set(line.replaceAll(/'[^']*'/g, '').match(/\$[A-Z][A-Z0-9_]*/g))];
}

/** Names and values. */
export function FactList({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Buttons of which one is chosen. */
export function ChoiceButtons<Value extends string>(props: {
  readonly label: string;
  readonly of: readonly (readonly [Value, ComponentChildren])[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}): JSX.Element {
  const { label, of, value, onChoose } = props;
  return (
    <span class="choice" role="group" aria-label={label}>
      {of.map(([one, words]) => (
        <button key={one} type="button" class="small" aria-pressed={one === value} onClick={() => onChoose(one)}>
          {words}
        </button>
      ))}
    </span>
  );
}

/** Saves a text as a file of the person. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Words of ours, in which names between backticks are code. */
export function coded(words: string): readonly (JSX.Element | string)[] {
  return words.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
