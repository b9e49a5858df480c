import { signal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { CallView } from '../../view.ts';
import { focusSoon } from '../look/focus.ts';
import { JsonEditor } from '../form/json-editor.tsx';
import { api, calls, chosen, chosenServer, hello, place, problem, server, tab, messageOf } from '../state.ts';
import { CallResult } from './result.tsx';
import { WorkPlace } from './work.tsx';

/** A request that is written by hand. */
interface WrittenRequest {
  readonly method: string;
  /** Parameters, as JSON. */
  readonly text: string;
  /** The call that was made of it last. */
  readonly call?: number;
}

/** Place of the form in the list of calls. */
export const anyRequestKey = 'any request';

const written: Signal<ReadonlyMap<string, WrittenRequest>> = signal(new Map());
const nothing: WrittenRequest = { method: '', text: '{}' };

/** Methods that are offered to be typed; any other goes out too. */
const methods: readonly string[] = [
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/list',
  'tasks/get',
  'tasks/result',
  'tasks/cancel',
];

function write(id: string, more: Partial<WrittenRequest>): void {
  written.value = new Map([...written.value, [id, { ...nothing, ...written.value.get(id), ...more }]]);
}

/** Shows a request of before, to be changed or sent as it was. */
export function writeAgain({ server: id, name, text }: Pick<CallView, 'server' | 'name' | 'text'>): void {
  write(id, { method: name, text });
  chosenServer.value = id;
  chosen.value = { ...chosen.value, calls: anyRequestKey };
  tab.value = 'calls';
  place.value = 'use';
  focusSoon('.any-request .main', '.any-request');
}

/** Any request with its parameters as text. The answer is shown unchanged. */
export function AnyRequest(): JSX.Element {
  const id = chosenServer.value;
  const { method, text, call } = written.value.get(id) ?? nothing;
  const last = call === undefined ? undefined : calls.value.get(call);
  const isConnected = server.value?.state === 'connected';
  const send = async (): Promise<void> => {
    problem.value = undefined;
    try {
      const wanted = { server: id, kind: 'request', name: method, text };
      write(id, { call: (await api.post<{ readonly call: number }>('call', wanted)).call });
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <WorkPlace
      className="any-request"
      {...(method === '' || !isConnected ? {} : { onCall: () => void send() })}
      bar={
        <>
          <button type="button" class="main" disabled={method === '' || !isConnected} onClick={() => void send()}>
            Send <kbd>Ctrl Enter</kbd>
          </button>
          {!isConnected && <span class="muted">connect the server first</span>}
        </>
      }
      side={last !== undefined && <CallResult key={last.id} call={last} isRunning={last.state === 'running'} />}
    >
      <h2>Any request</h2>
      <p class="description">
        It goes out as it is written, with what each request of its revision carries; what the server answers is shown
        as it came.{' '}
        {hello.value?.isReadOnly === true &&
          'Started with --read-only: requests that may change something are refused.'}
      </p>
      <div class="form">
        <label class="form-label" for="any-method">
          method
        </label>
        <input
          id="any-method"
          class="form-input"
          list="any-methods"
          spellcheck={false}
          autocomplete="off"
          value={method}
          onInput={(event) => write(id, { method: event.currentTarget.value })}
        />
      </div>
      <datalist id="any-methods">
        {methods.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <JsonEditor text={text} onText={(next) => write(id, { text: next })} label="params" />
    </WorkPlace>
  );
}
