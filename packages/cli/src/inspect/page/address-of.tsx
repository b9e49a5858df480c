import type { JSX } from 'preact';
import { aroundHost } from './address-parts.ts';
import { plain } from './plain.ts';

/** An address of a stranger, whole, with the host that would be visited in bold. */
export function ForeignAddress({ url, host }: { readonly url: string; readonly host: string }): JSX.Element {
  const parts = aroundHost(url, host);
  return (
    <span class="address">
      {parts === undefined ? (
        <>
          {plain(url)}
          {host !== '' && (
            <>
              {' '}
              (its host is <b>{plain(host)}</b>)
            </>
          )}
        </>
      ) : (
        <>
          {plain(parts[0])}
          <b>{plain(parts[1])}</b>
          {plain(parts[2])}
        </>
      )}
    </span>
  );
}
