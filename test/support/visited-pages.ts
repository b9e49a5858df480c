/**
 * A person who goes through the pages of an authorization server. A program that starts often imports this alone,
 * and not the authorization server.
 */

import { setTimeout } from 'node:timers/promises';

/** What a person does on the pages. */
export interface Visit {
  /** Who signs in; `ann`. */
  readonly login?: string;
  /** What is done with the question whether the client may have it; it is allowed. */
  readonly consent?: 'allow' | 'deny';
  /** The cookies of the browser, which it has from earlier visits. */
  readonly cookies?: Map<string, string>;
  /** How long a page is looked at, in milliseconds. */
  readonly takesMs?: number;
}

/** The most pages that a person is led through. */
const maxPages = 20;

/**
 * Goes through the pages of the authorization server, as a person with a browser would.
 *
 * @param url The authorization URL, or a page of the device flow.
 * @returns The URL to which the browser is sent back, which is not visited; or the text of the last page, where it ends at one.
 */
export async function visitPages(
  url: string,
  { login = 'ann', consent = 'allow', cookies = new Map(), takesMs = 0 }: Visit = {},
): Promise<string> {
  const { origin } = new URL(url);
  let next: { readonly url: string; readonly form?: URLSearchParams } = { url };
  for (let page = 0; page < maxPages; page++) {
    const { url: at, form }: typeof next = next;
    const response: Response = await fetch(at, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location !== null) {
      next = { url: new URL(location, at).href };
      if (new URL(next.url).origin !== origin) return next.url;
      continue;
    }
    const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
    if (response.status >= 400 || action === undefined || text.startsWith('Enter a code')) return text;
    if (takesMs > 0) await setTimeout(takesMs);
    next = filled(text, { at, action, login, consent });
  }
  throw new Error(`the pages lead nowhere after ${maxPages}: ${next.url}`);
}

function filled(
  text: string,
  {
    at,
    action,
    login,
    consent,
  }: { readonly at: string; readonly action: string; readonly login: string; readonly consent: string },
): { readonly url: string; readonly form?: URLSearchParams } {
  const isLogin = text.includes('name="login"');
  const abort = /<a href="([^"]+\/abort)"/.exec(text)?.[1];
  if (!isLogin && consent === 'deny' && abort !== undefined) return { url: new URL(unescaped(abort), at).href };
  const form = new URLSearchParams();
  for (const [input] of text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const [name, value] = [/name="([^"]*)"/.exec(input)?.[1], /value="([^"]*)"/.exec(input)?.[1]];
    if (name !== undefined) form.set(name, unescaped(value ?? ''));
  }
  if (isLogin) form.set('login', login);
  if (isLogin) form.set('password', 'anything');
  return { url: new URL(unescaped(action), at).href, form };
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');
}
