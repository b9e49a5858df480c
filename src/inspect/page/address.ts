/** Wishes in the address of the page, in the words of the official Inspector 2. They are taken out of it at once. */

/** Things that an address wishes. */
export interface AddressWish {
  /** Server of HTTP; empty for none. */
  readonly url: string;
  /** True where it is reached without a click: who wrote the address knows the token of this run. */
  readonly connects: boolean;
  /** Reason for which a part of it is not done. */
  readonly problem?: string;
}

/** Takes what the address wishes; whoever has not the token can fill a field with it, and nothing more. */
export function takeWish(token: string): AddressWish {
  const given = new URLSearchParams(location.search);
  if (given.size > 0) history.replaceState(null, '', location.pathname);
  const problem = problemOf(given);
  const url = given.get('serverUrl') ?? '';
  return {
    url,
    connects: url !== '' && token !== '' && given.get('autoConnect') === token,
    ...(problem === undefined ? {} : { problem }),
  };
}

function problemOf(given: URLSearchParams): string | undefined {
  const command = given.get('serverCommand');
  if (command !== null || given.get('transport') === 'stdio')
    return `No address starts a command here. Type it: parley inspect -- ${[command, given.get('serverArgs')].filter(Boolean).join(' ') || '<command>'}`;
  return given.has('openApp') ? 'Apps are not shown here: the tool is in the list.' : undefined;
}
