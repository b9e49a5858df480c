/** An editor of JSON as text. */

import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useId, useMemo, useRef } from 'preact/hooks';
import { shortText } from './model/hints.ts';
import { nodeAt, pointerSteps } from './model/json-edit.ts';
import { formatted, indentAfter, lineAt } from './model/json-format.ts';
import { readJson, type JsonNode } from './model/json-text.ts';

/** Properties of an editor. */
export interface JsonEditorProps {
  readonly text: string;
  /** Called with the whole new text on each edit. */
  readonly onText: (text: string) => void;
  /** Problems by JSON pointer, each told with its line. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  /** Name of the editor, for screen readers. */
  readonly label: string;
  readonly disabled?: boolean;
}

/** A problem with its place in the text. */
interface Placed {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

/** Limit of shown problems. */
const maxTold = 50;

/** Most lines that are numbered. */
const maxLines = 20_000;

/** A text with numbered lines; those with something wrong are marked, and told beneath. */
export function JsonEditor({ text, onText, problems = [], label, disabled = false }: JsonEditorProps): JSX.Element {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  const formattedFrom = useRef<{ readonly before: string; readonly after: string }>(undefined);
  const placed = useMemo(() => placesOf(text, problems), [text, problems]);
  const isBroken = readJson(text).fault !== undefined;
  const count = useMemo(() => lineAt(text, text.length + 1), [text]);
  const before = formattedFrom.current?.after === text ? formattedFrom.current.before : undefined;
  const format = (): void => {
    formattedFrom.current = before === undefined ? { before: text, after: formatted(text) } : undefined;
    onText(before ?? formatted(text));
  };
  const follow = (): void => {
    if (numbers.current !== null && area.current !== null) numbers.current.scrollTop = area.current.scrollTop;
  };
  return (
    <div class="form form-editor">
      <div class="form-head">
        <label class="form-label" for={id}>
          {shortText(label, 120)}
        </label>
        <button type="button" class="form-button" disabled={disabled || isBroken || text === ''} onClick={format}>
          {before === undefined ? 'Format' : 'Undo format'}
        </button>
      </div>
      <div class="form-code">
        <Numbers count={count} placed={placed} numbers={numbers} />
        <textarea
          ref={area}
          id={id}
          class="form-input form-json"
          rows={Math.min(24, Math.max(6, count))}
          wrap="off"
          spellcheck={false}
          disabled={disabled}
          aria-invalid={placed.length > 0}
          aria-describedby={`${id}-problems`}
          value={text}
          onScroll={follow}
          onKeyDown={indent}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </div>
      <Faults
        id={`${id}-problems`}
        placed={placed}
        onGo={({ start, end }) => {
          area.current?.focus();
          area.current?.setSelectionRange(start, end);
        }}
      />
    </div>
  );
}

interface FaultsProps {
  readonly id: string;
  readonly placed: readonly Placed[];
  readonly onGo: (placed: Placed) => void;
}

function Faults({ id, placed, onGo }: FaultsProps): JSX.Element {
  return (
    <ul class="form-problems" id={id}>
      {placed.map((one, index) => (
        <li key={index}>
          <button type="button" class="form-state" onClick={() => onGo(one)}>
            line {one.line}
          </button>{' '}
          {one.words}
        </li>
      ))}
    </ul>
  );
}

/** Indents a new line as the one before it. It is typed into the field as a person would, so that it can be undone. */
function indent(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  const { currentTarget: area, key } = event;
  if (key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const more = indentAfter(area.value.slice(0, area.selectionStart));
  if (more !== '' && document.execCommand('insertText', false, `\n${more}`)) event.preventDefault();
}

interface NumbersProps {
  readonly count: number;
  readonly placed: readonly Placed[];
  readonly numbers: { current: HTMLPreElement | null };
}

/** Line numbers, with few nodes: one for each mark, and one for the lines in between. */
function Numbers({ count, placed, numbers }: NumbersProps): JSX.Element {
  const marks = [...new Set(placed.map(({ line }) => line))].toSorted((one, other) => one - other);
  const parts: (string | JSX.Element)[] = [];
  let next = 1;
  const upTo = (end: number): string => {
    let part = '';
    for (; next < end && next <= maxLines; next += 1) part += `${next}\n`;
    return part;
  };
  for (const mark of marks.filter((line) => line <= Math.min(count, maxLines))) {
    parts.push(upTo(mark));
    parts.push(
      <span class="form-fault" key={mark}>
        {`⚠ ${mark}\n`}
      </span>,
    );
    next = mark + 1;
  }
  parts.push(upTo(count + 1));
  return (
    <pre class="form-numbers" aria-hidden="true" ref={numbers}>
      {parts}
    </pre>
  );
}

/** Errors with their lines: the first syntax error, or the problems of the values. */
function placesOf(text: string, problems: NonNullable<JsonEditorProps['problems']>): readonly Placed[] {
  const { root, fault } = readJson(text);
  if (fault !== undefined) {
    const { line, column, at, message } = fault;
    return [{ line, start: at, end: Math.min(text.length, at + 1), words: `column ${column}: ${message}` }];
  }
  return problems.slice(0, maxTold).map(({ path, message }) => {
    const node = nearest(root, pointerSteps(path));
    const words = `${path === '' ? '' : `${shortText(path, 100)} `}${shortText(message, 500)}`;
    const start = node?.start ?? 0;
    return { line: lineAt(text, start), start, end: node?.end ?? start, words };
  });
}

/** The value at a pointer, or the nearest around it that is there. */
function nearest(root: JsonNode | undefined, steps: readonly string[]): JsonNode | undefined {
  let node = root;
  for (const step of steps) {
    const inner = nodeAt(node, [node?.kind === 'array' ? Number(step) : step]);
    if (inner === undefined) return node;
    node = inner;
  }
  return node;
}
