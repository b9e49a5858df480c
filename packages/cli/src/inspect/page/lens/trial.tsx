import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { playableMethod, aboutTasks } from '../../trial/playable.ts';
import type { TrialStepView, TrialView } from '../../view.ts';
import { FoldedJson } from '../json/json-view.tsx';
import { line, plain } from '../plain.ts';
import { api, hello, problem, rowAt, servers, messageOf } from '../state.ts';
import { LensChanges } from './changes.tsx';

/** The same request by a client of another revision, played through a bridge before the same server when the person says so. */
export function Trial({ n, to }: { readonly n: number; readonly to: string }): JSX.Element | null {
  const one = rowAt(n);
  const [trial, setTrial] = useState<TrialView>();
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const state = one === undefined ? undefined : servers.value.get(one.s)?.state;
  // A recording is looked at: nothing of it can be played again.
  if (one === undefined || one.lane !== 'message' || state === 'recording') return null;
  const isOfTask = aboutTasks.has(one.what);
  if (playableMethod(one.what) === undefined && !isOfTask) return null;
  const calls = one.what === 'tools/call' || isOfTask;
  const listens = /^(resources\/subscribe|subscriptions\/listen)$/.test(one.what);
  const isReadOnly = hello.value?.isReadOnly === true && calls;
  const isConnected = state === 'connected';
  const run = async (cancels: boolean): Promise<void> => {
    const controller = new AbortController();
    stop.current = controller;
    setRunning(true);
    setTrial(undefined);
    try {
      setTrial(
        await api.post<TrialView>('try', { n, revision: to, ...(cancels ? { cancels } : {}) }, controller.signal),
      );
    } catch (error) {
      if (!controller.signal.aborted) problem.value = messageOf(error);
    }
    setRunning(false);
  };
  return (
    <section class="trial" aria-label="Try it">
      <p class="doing">
        {isRunning ? (
          <>
            <span>{listens ? 'It listens, 10 s at most: let something change …' : 'Playing it …'}</span>
            <button type="button" class="small" onClick={() => stop.current?.abort()}>
              Stop
            </button>
          </>
        ) : (
          <Beginnings
            calls={calls}
            to={to}
            isDisabled={isReadOnly || !isConnected}
            onRun={(cancels) => void run(cancels)}
          />
        )}
        <span class="muted">
          {isReadOnly
            ? 'started with --read-only'
            : isConnected
              ? `through a bridge, on a connection of its own${calls ? ': the tool runs once more' : ''}`
              : 'connect the server first'}
        </span>
      </p>
      {trial !== undefined && <Played trial={trial} method={one.what} />}
    </section>
  );
}

/** Ways to begin: the same once more, and for a call with an early end. */
function Beginnings(props: {
  readonly calls: boolean;
  readonly to: string;
  readonly isDisabled: boolean;
  readonly onRun: (cancels: boolean) => void;
}): JSX.Element {
  const { calls, to, isDisabled, onRun } = props;
  return (
    <>
      <button type="button" disabled={isDisabled} onClick={() => onRun(false)}>
        {calls ? 'Call it again' : 'Try it'} as a client of {to}
      </button>
      {calls && (
        <button type="button" disabled={isDisabled} onClick={() => onRun(true)}>
          … and cancel it
        </button>
      )}
    </>
  );
}

function Played({ trial, method }: { readonly trial: TrialView; readonly method: string }): JSX.Element {
  const { client, server, ms, steps, failure, left } = trial;
  const told = steps.filter((step) => isTold(step, method));
  const rest = steps.filter((step) => !told.includes(step));
  const shown = useRef<HTMLDivElement>(null);
  // It comes below what the person looks at.
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), [trial]);
  const differing = steps.filter(({ verdict }) => verdict === 'differs').length;
  return (
    <div role="status" ref={shown}>
      <p>
        {differing === 0 ? (
          <b class="good">✓ as the lens says</b>
        ) : (
          <b class="bad">
            ✕ {differing} {differing === 1 ? 'message is' : 'messages are'} not as the lens says
          </b>
        )}
        , {ms} ms
      </p>
      {failure !== undefined && <p class="bad">The client got no result: {plain(failure)}</p>}
      <p class="muted">
        Left between the bridge and the server ({server}), right between the client ({client}) and the bridge.
      </p>
      <Steps steps={told} openAt={lastAnswer(told)} />
      {rest.length > 0 && (
        <details>
          <summary class="muted">
            {rest.length} messages more: how it was opened, and what one side alone had to say
          </summary>
          <Steps steps={rest} openAt={-1} />
        </details>
      )}
      {left > 0 && <p class="muted">{left} messages more crossed, and are not shown.</p>}
    </div>
  );
}

const opening = /initialize|server\/discover/;

/** Tells whether a message belongs to the trial; others only keep the two hops alive. */
function isTold({ what, client, server, verdict }: TrialStepView, method: string): boolean {
  if (verdict === 'differs') return true;
  if (opening.test(what)) return opening.test(method);
  const crossed = client !== undefined && server !== undefined;
  if (crossed || what.endsWith(method)) return true;
  // A bridge subscribes for itself too. That is shown only if the trial was a subscription.
  const own = /subscri/.test(method)
    ? /subscri|updated|list_changed/
    : /elicitation|sampling|roots|asks for input|tasks|cancelled/;
  return own.test(what);
}

function Steps({ steps, openAt }: { readonly steps: readonly TrialStepView[]; readonly openAt: number }): JSX.Element {
  return (
    <ol class="steps">
      {steps.map((step, at) => (
        <li key={at}>
          <Step step={step} isLast={at === openAt} />
        </li>
      ))}
    </ol>
  );
}

/** The answer that the client waited for is open from the start. */
function lastAnswer(steps: readonly TrialStepView[]): number {
  return steps.findLastIndex(
    ({ from, client, what }) => from === 'server' && client !== undefined && /^(result|error) /.test(what),
  );
}

const verdicts: Readonly<Record<TrialStepView['verdict'], string>> = {
  'as-predicted': 'as the lens says',
  differs: 'not as the lens says',
  'by-bridge': 'made by the bridge',
  'not-predicted': '',
  'client-only': 'between client and bridge alone',
  'server-only': 'between bridge and server alone',
};

function Step({ step, isLast }: { readonly step: TrialStepView; readonly isLast: boolean }): JSX.Element {
  const { from, what, verdict, changes, differences, byBridge = [], predicted, why } = step;
  const isOpen = isLast || verdict === 'differs';
  return (
    <details open={isOpen}>
      <summary>
        <span aria-hidden="true">{from === 'client' ? '→ ' : '← '}</span>
        <code>{line(what, 80)}</code>{' '}
        <span class={verdict === 'differs' ? 'bad' : 'muted'}>
          {verdicts[verdict]}
          {changes.length > 0 && `; ${changes.length} changed`}
        </span>
      </summary>
      <LensChanges changes={changes} />
      {why !== undefined && <p class="muted">{plain(why)}</p>}
      {byBridge.length > 0 && (
        <p class="muted">
          Of this the bridge speaks for itself: <code>{byBridge.slice(0, 5).join(' ')}</code>
        </p>
      )}
      {differences.length > 0 && (
        <p class="bad">
          Otherwise than the lens says:{' '}
          <code>{differences.map((place) => (place === '' ? 'the message' : place)).join(' ')}</code>
        </p>
      )}
      <div class="sides">
        <Side title="server" value={step.server} />
        <Side title="client" value={step.client} />
        {predicted !== undefined && <Side title="as the lens says" value={predicted} />}
      </div>
    </details>
  );
}

function Side({ title, value }: { readonly title: string; readonly value: unknown }): JSX.Element {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {value === undefined ? (
        <p class="muted">nothing crossed</p>
      ) : (
        <FoldedJson text={JSON.stringify(value)} label={`Message at the ${title}`} />
      )}
    </figure>
  );
}
