import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallView, JsonView as Json } from '../../view.ts';
import { plain } from '../plain.ts';
import { loadOutcome, outcomes, problem, server, wishedApp, messageOf } from '../state.ts';
import type { AppUse } from './app.tsx';

/** Address of the app of a tool. (SEP-1865; the second place is that of older servers.) */
export function appOf(tool: Json): string | undefined {
  const meta = fieldsOf(tool['_meta']);
  const uri = fieldsOf(meta['ui'])['resourceUri'] ?? meta['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}

/** Place of an app. Its code is loaded when the user opens it. */
export function AppPlace({
  uri,
  tool,
  call,
}: {
  readonly uri: string;
  readonly tool?: Json;
  readonly call?: CallView | undefined;
}): JSX.Element {
  const wished = tool !== undefined && wishedApp.value === tool['name'];
  const [Shown, setShown] = useState<ComponentType<AppUse>>();
  const isOver = call !== undefined && call.state !== 'running';
  useEffect(() => {
    if (isOver) void loadOutcome(call.id);
  }, [call?.id, isOver]);
  const outcome = call === undefined ? undefined : outcomes.value.get(call.id);
  const show = (): void => {
    void import('./app.tsx')
      .then((loaded) => setShown(() => loaded.App))
      .catch((error: unknown) => (problem.value = messageOf(error)));
  };
  // Its tool was called: what it shows is the result.
  const waits = wished && outcome === undefined;
  useEffect(() => {
    if (wished && !waits) show();
  }, [wished, waits]);
  return (
    <section class="app" aria-label="App">
      <h3>
        App <code class="muted">{plain(uri)}</code>
      </h3>
      {Shown === undefined ? (
        <p class="doing">
          <button type="button" disabled={server.value?.state !== 'connected'} onClick={show}>
            Show its source
          </button>
          <span class="muted">it runs when you say so</span>
        </p>
      ) : (
        <Shown
          key={`${uri} ${call?.id ?? ''} ${outcome === undefined ? '' : 'result'}`}
          uri={uri}
          tool={tool}
          input={call === undefined ? undefined : fieldsOf(parsed(call.text))}
          result={outcome?.result}
          runs={wished && outcome !== undefined}
        />
      )}
    </section>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
