import type { JSX } from 'preact';
import type { ListName } from '../../view.ts';
import { Freshness } from '../look/fresh.tsx';
import { plain } from '../plain.ts';
import { act, chosenServer, lists, loadMore, readAgain, server } from '../state.ts';

/** Pages of lists: how many were read, how long they may be kept, and the next of each where they are read one by one. */
export function ListPages({ of }: { readonly of: readonly ListName[] }): JSX.Element | null {
  const id = chosenServer.value;
  const own = lists.value.get(id);
  const view = server.value;
  if (own === undefined || view === undefined) return null;
  const known = of.flatMap((name) => (own.pages[name] === undefined ? [] : [{ name, ...own.pages[name] }]));
  const hasPages = view.pagesByOne || known.some(({ count }) => count > 1);
  return (
    <div class="pages">
      {of.map((name) =>
        own.problems[name] !== undefined && own[name].length > 0 ? (
          <p key={name} class="bad">
            ✕ {plain(own.problems[name])}
          </p>
        ) : null,
      )}
      {known.map(({ name, count, hasMore, t, ttlMs, cacheScope }) => (
        <p key={name} class="muted">
          {of.length > 1 && (ttlMs > 0 || hasPages) && `${name}: `}
          {hasPages && `${count} ${count === 1 ? 'page' : 'pages'}${hasMore ? ', and there are more' : ''} `}
          {ttlMs > 0 && <Freshness t={t} ttlMs={ttlMs} cacheScope={cacheScope} />}
          {hasMore && (
            <>
              {' '}
              <button
                type="button"
                class="small"
                disabled={view.state !== 'connected'}
                onClick={() => void loadMore(id, name)}
              >
                Next page
              </button>
            </>
          )}
        </p>
      ))}
      {view.state === 'connected' && (
        <button type="button" class="small" onClick={() => void readAgain(view)}>
          Refresh
        </button>
      )}
      {hasPages && (
        <label class="again">
          <input
            type="checkbox"
            checked={view.pagesByOne}
            onChange={(event) => void act('pages-by-one', { server: id, on: event.currentTarget.checked })}
          />
          one page at a time
        </label>
      )}
    </div>
  );
}
