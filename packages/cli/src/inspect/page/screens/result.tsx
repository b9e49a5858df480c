import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CallView, JsonView as Json, OutcomeView } from '../../view.ts';
import { duration, Freshness } from '../look/fresh.tsx';
import { Problems } from '../arguments.tsx';
import { ContentView } from '../content/content.tsx';
import { StructuredView } from '../content/structured.tsx';
import { FoldedJson } from '../json/json-view.tsx';
import { openLens } from '../lens/shown.ts';
import { ChoiceButtons, CopyButton, saveFile } from '../parts.tsx';
import { now } from '../look/now.ts';
import { useTick } from '../look/tick.ts';
import { line, plain } from '../plain.ts';
import { act, large, loadOutcome, outcomes, row, rowAt, showRow } from '../state.ts';

/** A call: its progress while it runs, then its result as what it is. */
export function CallResult({ call, isRunning }: { readonly call: CallView; readonly isRunning: boolean }): JSX.Element {
  const { id, ms, row: request, state, kind } = call;
  // The result of a manual request is shown unchanged.
  const [view, setView] = useState<'shown' | 'json'>(kind === 'request' ? 'json' : 'shown');
  useEffect(() => {
    if (!isRunning) void loadOutcome(id);
  }, [id, isRunning]);
  const outcome = outcomes.value.get(id);
  const isError = outcome?.error !== undefined || outcome?.result?.['isError'] === true;
  return (
    <section class={`result ${isError ? 'bad' : ''}`} aria-label="Result">
      <h3>
        {state === 'running' ? 'Running' : headOf(outcome, state)}
        {ms !== undefined && <span class="muted"> {ms} ms</span>}
        {request !== undefined && (
          <button type="button" class="small link" onClick={() => showRow(request)}>
            #{request}
          </button>
        )}
        {outcome?.result !== undefined && (
          <ChoiceButtons
            label="View of the result"
            of={[
              ['shown', 'Rendered'],
              ['json', 'JSON'],
            ]}
            value={view}
            onChoose={setView}
          />
        )}
        <span class="space" />
        {outcome?.result !== undefined && <ResultDoing call={call} result={outcome.result} />}
      </h3>
      {isRunning && <Running call={call} />}
      {outcome?.error !== undefined && <ErrorOf error={outcome.error} />}
      {outcome?.result !== undefined &&
        (view === 'shown' ? (
          <Shown result={outcome.result} came={call.began + (ms ?? 0)} />
        ) : (
          <Raw value={outcome.result} />
        ))}
      {outcome?.problems !== undefined &&
        (outcome.problems.length === 0 ? (
          <p class="good">✓ the structured content fits the output schema</p>
        ) : (
          <>
            <p class="bad">✕ the structured content does not fit the output schema</p>
            <Problems problems={outcome.problems} />
          </>
        ))}
    </section>
  );
}

/** Actions on a result: the lens, a view over the whole window, and a file. */
function ResultDoing({ call, result }: { readonly call: CallView; readonly result: Json }): JSX.Element {
  const answer = rowAt(call.row)?.pair;
  const open = (): void => {
    large.value = { title: `Result of ${line(call.name, 60)}`, text: textIn(result) ?? JSON.stringify(result) };
  };
  return (
    <>
      {answer !== undefined && (
        <button
          type="button"
          class="small"
          title="What clients of other protocol versions get"
          onClick={() => {
            row.value = answer;
            openLens();
          }}
        >
          Other versions
        </button>
      )}
      <button type="button" class="small" onClick={open}>
        Open large
      </button>
      <button
        type="button"
        class="small"
        onClick={() =>
          saveFile(`${call.name.replaceAll(/[^\w.-]+/g, '-').slice(0, 60)}.json`, JSON.stringify(result, undefined, 2))
        }
      >
        Save
      </button>
    </>
  );
}

/** The text of a result that has nothing else to show. */
function textIn({ content, contents, structuredContent }: Json): string | undefined {
  const blocks: unknown = content ?? contents;
  if (!Array.isArray(blocks) || blocks.length !== 1 || structuredContent !== undefined) return undefined;
  const block: Json = typeof blocks[0] === 'object' && blocks[0] !== null ? { ...blocks[0] } : {};
  const inner = block['resource'];
  const text = typeof inner === 'object' && inner !== null && 'text' in inner ? inner.text : block['text'];
  return typeof text === 'string' ? text : undefined;
}

function headOf(outcome: OutcomeView | undefined, state: CallView['state']): string {
  if (state === 'cancelled') return 'Cancelled';
  // What the server did not say has no code: the way to it failed, or its answer could not be read.
  if (outcome?.error !== undefined)
    return outcome.error.code === undefined
      ? 'The request failed (no JSON-RPC answer)'
      : 'The request failed (JSON-RPC error)';
  return outcome?.result?.['isError'] === true ? 'The tool failed (isError)' : 'Result';
}

function Running({ call }: { readonly call: CallView }): JSX.Element {
  const { progress } = call;
  useTick(true);
  const words = progressText(call);
  return (
    <div class="running">
      {progress === undefined ? (
        <progress aria-label={`${call.name} runs`} />
      ) : (
        <progress
          aria-label={`Progress of ${call.name}`}
          value={progress.progress}
          max={progress.total ?? Math.max(progress.progress, 1)}
        />
      )}
      <span>{words}</span>
      <button type="button" class="small" onClick={() => void act('cancel', { call: call.id })}>
        Cancel <kbd>.</kbd>
      </button>
    </div>
  );
}

/** Progress and task of a running call in words: how far, how fast, what it says of itself, how long it runs and the task is kept. */
export function progressText({ began, progress, task }: CallView): string {
  const parts: string[] = [];
  if (progress !== undefined) {
    const { progress: done, total, message, t } = progress;
    const seconds = (t - began) / 1_000;
    parts.push(`${done}${total === undefined ? '' : ` of ${total}`} ${plain(message ?? '')}`.trim());
    if (seconds >= 0.2 && done > 0) parts.push(`${rate(done / seconds)} a second`);
    if (seconds >= 0.2 && done > 0 && total !== undefined && total > done) {
      const left = ((total - done) * seconds * 1_000) / done - (now() - t);
      parts.push(left > 0 ? `about ${duration(left)} left` : 'longer than it seemed');
    }
  }
  if (task !== undefined) parts.push(`task ${task.status} ${plain(task.message ?? '')}`.trim(), ...keptText(task));
  const runs = now() - began;
  if (runs >= 1_000) parts.push(`for ${duration(runs)}`);
  return parts.join(' · ');
}

/** Tells how long a task is kept still. */
export function keptText({ keptUntil }: NonNullable<CallView['task']>): readonly string[] {
  if (keptUntil === undefined) return [];
  const left = keptUntil - now();
  return [left > 0 ? `kept for ${duration(left)}` : 'not kept any more'];
}

function rate(each: number): string {
  return each >= 10 ? Math.round(each).toLocaleString('en') : each.toFixed(1);
}

function ErrorOf({ error }: { readonly error: NonNullable<OutcomeView['error']> }): JSX.Element {
  return (
    <div class="error-of">
      <p>
        {error.code !== undefined && <code>{error.code} </code>}
        {plain(error.message)}
      </p>
      {error.advice !== undefined && <p class="muted">{error.advice}</p>}
      {error.data !== undefined && <Raw value={error.data} />}
    </div>
  );
}

function Raw({ value }: { readonly value: unknown }): JSX.Element {
  const text = JSON.stringify(value) ?? 'null';
  return (
    <div class="raw">
      <CopyButton text={JSON.stringify(value, undefined, 2) ?? 'null'} what="JSON" />
      <FoldedJson text={text} label="Result as JSON" />
    </div>
  );
}

function Shown({ result, came }: { readonly result: Json; readonly came: number }): JSX.Element {
  const content = result['content'] ?? contentsOf(result);
  const structured = result['structuredContent'];
  const said = useMemo(() => saysTheSame(content, structured), [result]);
  const { ttlMs, cacheScope } = result;
  const rest = Object.fromEntries(
    Object.entries(result).filter(
      ([key]) => !['content', 'structuredContent', 'isError', 'contents', 'messages', 'resultType'].includes(key),
    ),
  );
  return (
    <>
      {said && <StructuredView value={structured} />}
      {Array.isArray(content) && content.map((block: unknown, at) => <ContentView key={at} block={block} />)}
      {Array.isArray(result['messages']) &&
        result['messages'].map((message: unknown, at) => <Message key={at} message={message} />)}
      {structured !== undefined && !said && <StructuredView value={structured} />}
      {typeof ttlMs === 'number' && ttlMs > 0 && (
        <p>
          <Freshness t={came} ttlMs={ttlMs} cacheScope={cacheScope} />
        </p>
      )}
      {Object.keys(rest).length > 0 && (
        <details>
          <summary>{Object.keys(rest).join(', ')}</summary>
          <Raw value={rest} />
        </details>
      )}
    </>
  );
}

/** Tells whether the only text is that of the structured content, or of the one thing in it, which reads better as such. */
function saysTheSame(content: unknown, structured: unknown): boolean {
  if (structured === undefined || !Array.isArray(content) || content.length !== 1) return false;
  const { type, text }: Json = typeof content[0] === 'object' && content[0] !== null ? { ...content[0] } : {};
  if (type !== 'text' || typeof text !== 'string' || !/^\s*[{[]/.test(text)) return false;
  const [only, ...more] = typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
  try {
    const said = JSON.stringify(JSON.parse(text));
    return said === JSON.stringify(structured) || (more.length === 0 && said === JSON.stringify(only));
  } catch {
    return false;
  }
}

/** The contents of a resource, as blocks. */
function contentsOf({ contents }: Json): unknown {
  return Array.isArray(contents) ? contents.map((resource: unknown) => ({ type: 'resource', resource })) : undefined;
}

function Message({ message }: { readonly message: unknown }): JSX.Element {
  const { role, content } = typeof message === 'object' && message !== null ? ({ ...message } as Json) : {};
  return (
    <div class="message">
      <b>{plain(String(role))}</b>
      {[content].flat().map((block, at) => (
        <ContentView key={at} block={block} />
      ))}
    </div>
  );
}
