import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LossesView, RootView, ServerView } from '../../view.ts';
import { useAsked } from '../asked.ts';
import { FoldedJson } from '../json/json-view.tsx';
import { ChoiceButtons, coded, FactList } from '../parts.tsx';
import { shortened, line, textValue } from '../plain.ts';
import { act, chosenServer, lensRevision, lists, server } from '../state.ts';

/** Facts of a server: what it says of itself, its roots, and what clients of other revisions get of it. */
export function AboutScreen(): JSX.Element {
  const view = server.value;
  if (view === undefined) return <p class="empty">No server.</p>;
  const { info, capabilities, instructions, revision, address, state } = view;
  return (
    <div class="about">
      <FactList
        rows={[
          [
            'server',
            line(
              `${textValue(info?.['title']) ?? textValue(info?.['name']) ?? view.name} ${textValue(info?.['version']) ?? ''}`,
              200,
            ),
          ],
          ['reached by', line(address, 300)],
          [
            'protocol version',
            revision === undefined
              ? state
              : `${revision}, ${view.wanted === 'auto' ? 'the newest that both speak' : 'as you chose'}`,
          ],
        ]}
      />
      {instructions !== undefined && (
        <>
          <h2>Instructions</h2>
          <pre class="text">{shortened(instructions, 100_000)}</pre>
        </>
      )}
      <Losses />
      <h2>Roots that it may see</h2>
      <Roots view={view} />
      {capabilities !== undefined && (
        <>
          <h2>Capabilities</h2>
          <FoldedJson text={JSON.stringify(capabilities)} label="Capabilities" />
        </>
      )}
    </div>
  );
}

/** Losses of clients of other revisions at the chosen server: the first depth of the lens. */
export function Losses(): JSX.Element | null {
  const id = chosenServer.value;
  const version = server.value?.version;
  const isConnected = server.value?.state === 'connected';
  const own = lists.value.get(id);
  const { losses } = useAsked<{ readonly losses: readonly LossesView[] }>(
    isConnected ? { verb: 'losses', body: { server: id }, keys: [id, version, own] } : undefined,
  ) ?? { losses: [] };
  if (losses.length === 0) return null;
  // The oldest first, as the lens over a message has them.
  const all = losses.toSorted((one, other) => (one.client < other.client ? -1 : 1));
  const shown = all.find((one) => one.client === lensRevision.value) ?? all[0];
  // What concerns the tools of this server comes first.
  const felt = (shown?.losses ?? []).filter(({ seen }) => seen === true);
  const others = (shown?.losses ?? []).filter(({ seen }) => seen !== true);
  return (
    <section class="lens-of-server" aria-label="Clients of other revisions">
      <h2>What clients of other protocol versions get, through parley bridge</h2>
      <ChoiceButtons
        label="Revision of the client"
        of={all.map((one) => [
          one.client,
          <>
            {one.client}{' '}
            <span class="count">
              {one.changed + one.refused === 0 ? 'all' : `${one.changed} changed, ${one.refused} refused`}
            </span>
          </>,
        ])}
        value={shown?.client ?? ''}
        onChoose={(date) => (lensRevision.value = date)}
      />
      {shown !== undefined && shown.losses.length === 0 && <p class="good">✓ everything is carried</p>}
      <LossList losses={felt} />
      {others.length > 0 && (
        <details>
          <summary>{others.length} more, of features that this server does not use</summary>
          <LossList losses={others} />
        </details>
      )}
    </section>
  );
}

function LossList({ losses }: { readonly losses: LossesView['losses'] }): JSX.Element {
  return (
    <ul class="losses">
      {losses.map((loss) => (
        <li key={`${loss.group} ${loss.title}`}>
          <b class={loss.kind}>{loss.kind}</b> {coded(loss.title)}
          {loss.seen === true && <span class="mark">it has this</span>}
          <span class="muted"> {coded(loss.why)}</span>
        </li>
      ))}
    </ul>
  );
}

function Roots({ view }: { readonly view: ServerView }): JSX.Element {
  const [uri, setUri] = useState('');
  const set = (roots: readonly RootView[]): void => void act('roots', { server: view.id, roots });
  return (
    <div class="roots">
      {view.roots.length === 0 && <p class="muted">None.</p>}
      <ul>
        {view.roots.map((root) => (
          <li key={root.uri}>
            <code>{line(root.uri, 200)}</code>{' '}
            <button
              type="button"
              class="small"
              aria-label={`Remove ${root.uri}`}
              onClick={() => set(view.roots.filter((one) => one.uri !== root.uri))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          set([...view.roots, { uri }]);
          setUri('');
        }}
      >
        <label>
          Add a root{' '}
          <input
            value={uri}
            placeholder="file:///home/me/project"
            onInput={(event) => setUri(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="small" disabled={!uri.startsWith('file://')}>
          Add
        </button>
      </form>
    </div>
  );
}
