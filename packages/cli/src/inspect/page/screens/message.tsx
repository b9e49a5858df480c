import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { EntryView, RowView } from '../../view.ts';
import { useAsked } from '../asked.ts';
import { FoldedJson } from '../json/json-view.tsx';
import { faultMarks, firstMarked } from '../json/fault-marks.ts';
import { SignIcon } from '../look/icon.tsx';
import { ChoiceButtons, CopyButton, FactList } from '../parts.tsx';
import { clock, line, plain, size, textValue } from '../plain.ts';
import { row, rowAt, rowsVersion, servers } from '../state.ts';
import { openLens } from '../lens/shown.ts';
import { PairButton } from '../wire/pair-button.tsx';
import { paramsIn } from '../wire/params-in.ts';
import { writeAgain } from './any-request.tsx';

/** A message of the wire: as it crossed, with its HTTP, and through the lens. The pane stays when another one is chosen, and keeps the focus. */
export function MessagePane({ n }: { readonly n: number }): JSX.Element {
  return (
    <aside class="message-pane" aria-label={`Message ${n}`}>
      <OneMessage key={n} n={n} />
    </aside>
  );
}

function OneMessage({ n }: { readonly n: number }): JSX.Element {
  void rowsVersion.value;
  const one = rowAt(n);
  const [isRevealed, setRevealed] = useState(false);
  const [view, setView] = useState<'message' | 'http'>('message');
  const entry = useAsked<EntryView>({
    verb: 'entry',
    body: { n, reveal: isRevealed },
    keys: [n, isRevealed, one?.pair, one?.over, one?.bytes],
  });
  const reveal = (): void => setRevealed(!isRevealed);
  return (
    <>
      <div class="message-bar">
        <button type="button" class="small icon" aria-label="Close" onClick={() => (row.value = undefined)}>
          <SignIcon name="close" />
        </button>
        <h3>
          #{n} {line(`${one?.what ?? ''} ${one?.about ?? ''}`, 60)}
        </h3>
        <ChoiceButtons
          label="View of the message"
          of={[
            ['message', 'Message'],
            ['http', 'HTTP'],
          ]}
          value={view}
          onChoose={setView}
        />
        <button type="button" class="small" onClick={openLens}>
          Lens
        </button>
      </div>
      {entry !== undefined && view === 'message' && (
        <>
          <MessageDoing one={one} entry={entry} isRevealed={isRevealed} onReveal={reveal} />
          <Broken entry={entry} />
          <Body entry={entry} />
        </>
      )}
      {entry !== undefined && view === 'http' && (
        <>
          {entry.hides && (
            <p class="doing">
              <Reveal entry={entry} isRevealed={isRevealed} onReveal={reveal} />
            </p>
          )}
          <Http entry={entry} />
        </>
      )}
    </>
  );
}

function MessageDoing(props: {
  readonly one: RowView | undefined;
  readonly entry: EntryView;
  readonly isRevealed: boolean;
  readonly onReveal: () => void;
}): JSX.Element {
  const { one, entry, isRevealed, onReveal } = props;
  const text = textValue(entry.entry['text']);
  return (
    <p class="doing">
      <PairButton one={one} />
      {text !== undefined && <CopyButton text={text} what={looksLikeJson(text) ? 'JSON' : 'text'} />}
      {entry.curl !== undefined && <CopyButton text={entry.curl} what="as curl" />}
      {entry.line !== undefined && <CopyButton text={entry.line} what="as parley call" />}
      {one !== undefined && <SendAgain one={one} text={text} hides={entry.hides && !isRevealed} />}
      <Reveal entry={entry} isRevealed={isRevealed} onReveal={onReveal} />
    </p>
  );
}

/** Takes a request of the client to where it can be changed and sent once more. */
function SendAgain(props: {
  readonly one: RowView;
  readonly text: string | undefined;
  readonly hides: boolean;
}): JSX.Element | null {
  const { one, text, hides } = props;
  const state = servers.value.get(one.s)?.state;
  const params = one.lane === 'message' && one.from === 'client' && one.kind === 'request' ? paramsIn(text) : undefined;
  if (params === undefined || state === 'recording' || one.what === 'initialize') return null;
  return (
    <button
      type="button"
      class="small"
      disabled={hides}
      title={hides ? 'Show what is hidden first: it would be sent without it' : 'To be changed, or sent as it is'}
      onClick={() => writeAgain({ server: one.s, name: one.what, text: params })}
    >
      Send again …
    </button>
  );
}

/** Shows what is hidden, or hides it again, where something is. */
function Reveal(props: {
  readonly entry: EntryView;
  readonly isRevealed: boolean;
  readonly onReveal: () => void;
}): JSX.Element | null {
  const { entry, isRevealed, onReveal } = props;
  if (!entry.hides) return null;
  return (
    <button type="button" class="small" aria-pressed={isRevealed} onClick={() => onReveal()}>
      {isRevealed ? 'Hide secrets' : 'Show what is hidden'} <kbd>m</kbd>
    </button>
  );
}

function Broken({ entry }: { readonly entry: EntryView }): JSX.Element | null {
  if (entry.broken.length === 0) return null;
  return (
    <ul class="problems">
      {entry.broken.map(({ id, words, source, isAdvice, breaks }) => (
        <li key={id} class={isAdvice ? 'muted' : ''}>
          {isAdvice ? 'should be otherwise, by ' : '⚠ breaks '}
          <b>{id}</b>: {breaks !== undefined && <span class="fault">{line(breaks, 300)}.</span>}{' '}
          <span class={breaks === undefined ? '' : 'muted'}>{words}</span>
          {source !== undefined && <code class="muted"> {source}</code>}
        </li>
      ))}
    </ul>
  );
}

function Body({ entry: { entry, broken } }: { readonly entry: EntryView }): JSX.Element {
  const text = textValue(entry['text']);
  const marks = useMemo(() => faultMarks(text ?? '', broken), [text, broken]);
  const first = useMemo(() => firstMarked(text ?? '', marks), [text, marks]);
  const trouble = textValue(entry['problem']);
  const cut = entry['cut'];
  return (
    <>
      {trouble !== undefined && <p class="bad">✕ {plain(trouble)}</p>}
      {text === undefined ? (
        <p class="muted">No body.</p>
      ) : looksLikeJson(text) ? (
        <FoldedJson text={text} label="Message as JSON" marks={marks} first={first} />
      ) : (
        <pre class="text">{plain(text.slice(0, 200_000))}</pre>
      )}
      {typeof cut === 'number' && (
        <p class="muted">{cut.toLocaleString('en')} characters more crossed, and are not kept.</p>
      )}
    </>
  );
}

/** Tells whether a text is shown as JSON; what of it is none is shown as it is. */
function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

type Fields = Readonly<Record<string, unknown>>;

function Http({ entry: { entry } }: { readonly entry: EntryView }): JSX.Element {
  const http: Fields | undefined =
    typeof entry['http'] === 'object' && entry['http'] !== null ? { ...entry['http'] } : undefined;
  const event: Fields | undefined =
    typeof entry['event'] === 'object' && entry['event'] !== null ? { ...entry['event'] } : undefined;
  const exchange = entry['exchange'];
  const headers: Fields =
    typeof http?.['headers'] === 'object' && http['headers'] !== null ? { ...http['headers'] } : {};
  const time = Number(entry['time']);
  return (
    <div class="http">
      <FactList
        rows={[
          ['time', `${new Date(time).toISOString()} (${clock(time)})`],
          ['size', size(Number(entry['bytes']))],
          ['connection', String(entry['connection'])],
          ['revision', textValue(entry['revision']) ?? 'not settled'],
          ...(http?.['method'] === undefined
            ? []
            : [['request', `${textValue(http['method']) ?? ''} ${line(String(http['url']), 500)}`] as const]),
          ...(http?.['status'] === undefined ? [] : [['status', JSON.stringify(http['status'])] as const]),
          ...(event === undefined
            ? []
            : Object.entries(event).map(([name, value]) => [`event ${name}`, line(String(value), 300)] as const)),
        ]}
      />
      {typeof exchange === 'number' && (
        <button type="button" class="small" onClick={() => (row.value = exchange)}>
          request #{exchange}
        </button>
      )}
      {Object.keys(headers).length > 0 && (
        <FactList rows={Object.entries(headers).map(([name, value]) => [name, plain(String(value))])} />
      )}
      {http === undefined && exchange === undefined && (
        <p class="muted">It crossed as a line of standard input or output.</p>
      )}
    </div>
  );
}
