import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ServerView } from '../../view.ts';
import { focusIfLost } from '../look/focus.ts';
import { SignIcon } from '../look/icon.tsx';
import { showPane } from '../look/panes.ts';
import { line, textValue } from '../plain.ts';
import { act, addServer, chosenServer, dialog, hello, place, servers, wish } from '../state.ts';
import { LoginPanel } from '../login/login.tsx';

const signs: Readonly<Record<ServerView['state'], string>> = {
  connected: '●',
  connecting: '◌',
  closed: '○',
  failed: '✕',
  recording: '▤',
};

/** All servers, with the actions for each. */
export function ServersScreen(): JSX.Element {
  const all = [...servers.value.values()];
  return (
    <nav class="servers" aria-label="Servers">
      <p class="pane-head tabbed-not">
        <span>Servers</span>
        <button
          type="button"
          class="small icon"
          aria-label="Fold the servers"
          title="Fold the servers"
          onClick={() => showPane('servers', false)}
        >
          <SignIcon name="back" />
        </button>
      </p>
      {all.length === 0 && (
        <p class="empty">
          No server yet: <code>parley inspect -- node server.js</code>, an address below, or your host's file with{' '}
          <code>--config</code>.
        </p>
      )}
      <ul>
        {all.map((one) => (
          <li key={one.id}>
            <ServerCard server={one} />
          </li>
        ))}
      </ul>
      <AddAddress />
      {all.length > 1 && (
        <button type="button" class="small" onClick={() => (dialog.value = 'compare')}>
          Compare two
        </button>
      )}
    </nav>
  );
}

function ServerCard({ server }: { readonly server: ServerView }): JSX.Element {
  const { id, name, address, state, revision, info, silent } = server;
  const isChosen = chosenServer.value === id;
  const ownName = textValue(info?.['title']) ?? textValue(info?.['name']);
  return (
    <section class={`server ${isChosen ? 'chosen' : ''}`} data-status={state} aria-label={`Server ${id}`}>
      <button
        type="button"
        class="name"
        aria-pressed={isChosen}
        onClick={() => {
          chosenServer.value = id;
          place.value = 'use';
          focusIfLost('.use [role=tab][aria-selected=true]', '.use');
        }}
      >
        <b class={`letter s-${id}`}>{id}</b>
        <span class={`sign ${silent === undefined ? state : 'silent'}`} aria-hidden="true">
          {silent === undefined ? signs[state] : '◍'}
        </span>
        <span class="words">{line(name, 60)}</span>
      </button>
      <p class="muted connection-status" data-testid="connection-status" title={line(address, 300)}>
        {state}
        {silent !== undefined && <b class="bad">, does not answer</b>}
        {revision !== undefined && `, ${revision}`}
        {isChosen && (
          <>
            {state !== 'recording' && `, ${server.kind === 'stdio' ? 'stdio' : 'HTTP'}`}
            {server.pid !== undefined && `, pid ${server.pid}`}
            {ownName !== undefined && ownName !== name && <span class="one-line">{line(ownName, 60)}</span>}
            <span class="one-line">{line(address, 120)}</span>
          </>
        )}
      </p>
      {isChosen && state !== 'recording' && (
        <>
          <Doing server={server} />
          {server.canSignIn && <LoginPanel server={server} />}
          <RevisionChoice server={server} />
        </>
      )}
    </section>
  );
}

function Doing({ server }: { readonly server: ServerView }): JSX.Element {
  const { id, state, wanted } = server;
  return (
    <p class="doing">
      {state === 'connected' || state === 'connecting' ? (
        <>
          <button
            key="restart"
            type="button"
            class="small"
            onClick={() => void act('connect', { server: id, revision: wanted })}
          >
            Restart
          </button>
          <button key="disconnect" type="button" class="small" onClick={() => void act('disconnect', { server: id })}>
            Disconnect
          </button>
        </>
      ) : (
        <>
          <button
            key="connect"
            type="button"
            class="small"
            onClick={() => void act('connect', { server: id, revision: wanted })}
          >
            Connect
          </button>
          <button key="remove" type="button" class="small" onClick={() => void act('remove', { server: id })}>
            Remove
          </button>
        </>
      )}
    </p>
  );
}

/** Time in which another revision may be chosen before one is spoken, in milliseconds: a key goes through them one by one. */
const chooseMs = 600;

function RevisionChoice({ server: { id, wanted } }: { readonly server: ServerView }): JSX.Element {
  const [chosen, setChosen] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const choose = (revision: string): void => {
    clearTimeout(timer.current);
    setChosen(revision);
    timer.current = setTimeout(
      () =>
        void act('connect', { server: id, revision }).finally(() =>
          setChosen((now) => (now === revision ? undefined : now)),
        ),
      chooseMs,
    );
  };
  return (
    <label class="revision">
      <span class="muted">Protocol version </span>
      <select value={chosen ?? wanted} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="auto">auto</option>
        {hello.value?.revisions.toReversed().map((date) => (
          <option key={date} value={date}>
            {date}
          </option>
        ))}
      </select>
    </label>
  );
}

function AddAddress(): JSX.Element {
  const [url, setUrl] = useState(wish.connects ? '' : wish.url);
  const add = async (): Promise<void> => {
    if (await addServer(url)) setUrl('');
  };
  return (
    <form
      class="add"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label>
        Add an address
        <input
          type="text"
          inputMode="url"
          placeholder="https://example.com/mcp"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="small" disabled={url.trim() === ''}>
        Add
      </button>
    </form>
  );
}
