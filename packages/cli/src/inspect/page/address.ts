/** Wishes in the address of the page, in the words of the official Inspector 2. They are taken out of it at once. */

import { isTokenOfRun } from './token.ts';

/** Things that an address wishes. */
export interface AddressWish {
  /** Server of HTTP; empty for none. */
  readonly url: string;
  /** True where it is reached without a click: who wrote the address knows the token of this run. */
  readonly connects: boolean;
  /** Tool whose app is opened: its arguments, and whether it is called and run without a click. */
  readonly app?: { readonly tool: string; readonly text: string; readonly runs: boolean };
  /** Reason for which a part of it is not done. */
  readonly problem?: string;
}

/** Applies the wishes in the address. Without a token of this run, an address can fill a field, and nothing more. */
export async function takeWish(token: string): Promise<AddressWish> {
  const given = new URLSearchParams(location.search);
  if (given.size > 0) history.replaceState(null, '', location.pathname);
  const problem = problemOf(given);
  const url = given.get('serverUrl') ?? '';
  const tool = given.get('openApp');
  const text = given.get('appArgs') ?? '{}';
  const knows = async (said: string | null): Promise<boolean> =>
    token !== '' && (said === token || (said?.length === token.length && (await isTokenOfRun(said))));
  const runs = await knows(given.get('autoOpen'));
  return {
    url,
    connects: url !== '' && (await knows(given.get('autoConnect'))),
    ...(tool === null ? {} : { app: { tool, text: isObjectText(text) ? text : '{}', runs } }),
    ...(problem === undefined ? {} : { problem }),
  };
}

function problemOf(given: URLSearchParams): string | undefined {
  const command = given.get('serverCommand');
  if (command !== null || given.get('transport') === 'stdio')
    return `No address starts a command here. Type it: parley inspect -- ${[command, given.get('serverArgs')].filter(Boolean).join(' ') || '<command>'}`;
  return isObjectText(given.get('appArgs') ?? '{}')
    ? undefined
    : 'The arguments in the address (appArgs) are no JSON object.';
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
