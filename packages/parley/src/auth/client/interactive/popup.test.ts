import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RedirectRequest } from '../../common/redirect.ts';
import { page } from './page.ts';
import { popup, type PopupOpener, type PopupWindow } from './popup.ts';

/** A window as a browser shows it, which a test leads from page to page. */
class FakeWindow implements PopupWindow {
  closed = false;
  opener: unknown = 'the page';
  #href = 'about:blank';
  #left = (): void => {};
  /** Resolves when it shows the authorization server. */
  readonly atServer: Promise<void> = new Promise((resolve) => (this.#left = resolve));
  readonly visited: string[] = [];

  #look = (): void => {};

  /** Resolves when somebody looks where it is. */
  looked(): Promise<void> {
    return new Promise((resolve) => (this.#look = resolve));
  }

  get location(): PopupWindow['location'] {
    const href = this.#href;
    this.#look();
    const replace = (url: string): void => {
      this.visited.push(url);
      this.lead(url);
      this.#left();
    };
    return {
      get href() {
        if (href.startsWith('https://as.example')) throw new Error('of another origin');
        return href;
      },
      replace,
    };
  }

  lead(url: string): void {
    this.#href = url;
  }

  close(): void {
    this.closed = true;
  }
}

const url = 'https://as.example/authorize?client_id=c';
const redirectUri = 'https://app.example/here';

function asked(more: Partial<RedirectRequest> = {}): RedirectRequest {
  return { url, redirectUri, state: 'the-state', reason: 'login', issuer: 'https://as.example', scopes: [], ...more };
}

function opener(...windows: readonly (FakeWindow | null)[]): PopupOpener & { readonly features: string[] } {
  const left = [...windows];
  const features: string[] = [];
  return {
    location: { href: `${redirectUri}?tab=2#top` },
    features,
    open(_, target, wanted) {
      features.push(`${target} ${wanted}`);
      return left.shift() ?? null;
    },
  };
}

const never = new AbortController().signal;

describe('a window to sign in', () => {
  test('comes back to the page without what its address ends with', () => {
    assert.deepEqual(popup(opener()).redirectUris, [redirectUri]);
    assert.deepEqual(popup(opener(), { redirectUri: 'https://app.example/back' }).redirectUris, [
      'https://app.example/back',
    ]);
  });

  test('cannot reach the page that opened it', async () => {
    const window = new FakeWindow();
    const open = await popup(opener(window)).open(undefined, never);
    const answer = open.visit(asked(), never);
    await window.atServer;
    window.lead(`${redirectUri}?code=x&state=the-state`);
    assert.equal(await answer, `${redirectUri}?code=x&state=the-state`);
    assert.equal(window.opener, null);
    assert.deepEqual(window.visited, [url]);
    open.close();
    assert.equal(window.closed, true);
    open.close();
  });

  test('answers at the address alone where it is awaited, with the state alone that was sent', async () => {
    const window = new FakeWindow();
    const open = await popup(opener(window)).open(undefined, never);
    let settled = false;
    const answer = open.visit(asked(), never).finally(() => (settled = true));
    await window.atServer;
    for (const elsewhere of [
      'https://app.example/other?state=the-state',
      `${redirectUri}?state=another`,
      `${redirectUri}#state=the-state`,
    ]) {
      window.lead(elsewhere);
      await window.looked();
      await window.looked();
      assert.equal(settled, false, elsewhere);
    }
    window.lead(`${redirectUri}?error=access_denied&state=the-state`);
    assert.match(await answer, /access_denied/);
  });

  test('that is closed ends the login', async () => {
    const window = new FakeWindow();
    const open = await popup(opener(window)).open(undefined, never);
    const answer = open.visit(asked(), never);
    await window.atServer;
    window.close();
    await assert.rejects(answer, { name: 'AuthorizationError', reason: 'denied' });
  });

  test('is closed when nobody waits any more', async () => {
    const window = new FakeWindow();
    const controller = new AbortController();
    const open = await popup(opener(window)).open(undefined, controller.signal);
    const answer = open.visit(asked(), controller.signal);
    await window.atServer;
    const reason = new Error('too late');
    controller.abort(reason);
    await assert.rejects(answer, reason);
    open.close();
    assert.equal(window.closed, true);
  });

  test('is closed, too, when nobody waits any more before it is open', async () => {
    const window = new FakeWindow();
    const controller = new AbortController();
    const open = await popup(opener(window)).open(undefined, controller.signal);
    const answer = open.visit(asked(), controller.signal);
    controller.abort(new Error('too late'));
    // Who asked waits for the signal alone.
    open.close();
    await assert.rejects(answer, /too late/);
    assert.equal(window.closed || window.opener === 'the page', true, 'it was opened and not closed');
  });

  test('that the browser does not open is asked for again by a click, or told of', async () => {
    const alone = await popup(opener(null)).open(undefined, never);
    await assert.rejects(alone.visit(asked(), never), { reason: 'login-required' });

    const window = new FakeWindow();
    let blocked = (_again: () => void): void => {};
    const asking = new Promise<() => void>((resolve) => (blocked = resolve));
    const open = await popup(opener(null, null, window), { onBlocked: (again) => blocked(again) }).open(
      undefined,
      never,
    );
    const answer = open.visit(asked(), never);
    const again = await asking;
    again();
    assert.equal(window.visited.length, 0, 'it was not opened either');
    again();
    await window.atServer;
    window.lead(`${redirectUri}?code=x&state=the-state`);
    assert.match(await answer, /code=x/);
  });

  test('in the middle of the page, as large as is asked for', async () => {
    const window = new FakeWindow();
    const from = Object.assign(opener(window), { screenX: 100, screenY: 50, outerWidth: 1000, outerHeight: 800 });
    const open = await popup(from, { width: 400, height: 600 }).open(undefined, never);
    const answer = open.visit(asked(), never);
    await window.atServer;
    window.close();
    await assert.rejects(answer);
    assert.deepEqual(from.features, ['_blank popup=yes,width=400,height=600,left=400,top=150']);
  });

  test('takes no options that it does not have', () => {
    assert.throws(() => popup(opener(), { uri: 1 } as object), /has no option "uri"/);
    assert.throws(() => popup({} as PopupOpener), /needs the window/);
  });
});

describe('leaving the page to sign in', () => {
  test('leads to the authorization server, and nobody waits', async () => {
    const visited: string[] = [];
    const redirect = page({ navigate: (to) => void visited.push(to), redirectUri });
    assert.deepEqual(redirect.redirectUris, [redirectUri]);
    const open = await redirect.open(undefined, never);
    await assert.rejects(open.visit(asked(), never), { name: 'AuthorizationError', reason: 'login-required' });
    assert.deepEqual(visited, [url]);
    open.close();
  });

  test('needs a way to leave, and an address to come back to', () => {
    assert.throws(() => page({} as { readonly navigate: () => void }), /needs navigate/);
    assert.throws(() => page({ navigate: () => {} }), /needs redirectUri/);
  });
});
