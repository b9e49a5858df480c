/** A page that connects to a guarded server, bundled for a browser: it says what came of it, and how. */

import { connect } from '../../packages/parley/src/client.ts';
import {
  browserCredentialStore,
  oauth,
  page,
  popup,
  type OAuth,
  type PopupOpener,
} from '../../packages/parley/src/oauth.ts';

/** What the page is told by its HTML. */
interface Settings {
  readonly server: string;
  readonly redirect: 'popup' | 'page';
  /** Whether tokens are bound to a key. */
  readonly dpop: boolean;
}

/** As much of a page as is used here; the compiler knows none, since what runs here runs in workers too. */
interface PageGlobals {
  readonly settings: Settings;
  readonly document: { getElementById(id: string): Element };
  readonly history: { replaceState(state: null, title: string, url: string): void };
  readonly location: { readonly href: string; readonly pathname: string; assign(url: string): void };
}

interface Element {
  textContent: string;
  hidden: boolean;
  onclick: () => void;
}

// It is a page where this runs.
const { settings, document, history, location } = globalThis as unknown as PageGlobals;
const said = document.getElementById('said');
const again = document.getElementById('again');

const auth: OAuth = oauth({
  redirect:
    settings.redirect === 'page'
      ? page({ navigate: (url) => location.assign(url) })
      : // It is a page where this runs.
        popup(globalThis as unknown as PopupOpener, {
          onBlocked(open) {
            again.hidden = false;
            again.onclick = open;
          },
        }),
  store: browserCredentialStore(),
  metadata: { name: 'A page' },
  ...(settings.dpop ? { dpop: 'always' as const } : {}),
});

async function telling(run: () => Promise<string>): Promise<void> {
  said.textContent = 'waiting';
  try {
    said.textContent = await run();
  } catch (error) {
    const { name, reason, message } = error as Error & { readonly reason?: string };
    said.textContent = `${reason ?? name}: ${message}`;
  }
}

async function call(): Promise<string> {
  const client = await connect(settings.server, { auth });
  try {
    const { content } = await client.callTool('whoami');
    return `called as ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join()}`;
  } finally {
    await client.close();
  }
}

document.getElementById('call').onclick = () => void telling(call);
document.getElementById('logout').onclick = () =>
  void telling(async () => ((await auth.logout({ server: settings.server })).revoked ? 'signed out' : 'not revoked'));
// Where nobody has clicked.
if (location.href.endsWith('#call')) void telling(call);
if (new URL(location.href).searchParams.has('state') && settings.redirect === 'page')
  void telling(async () => {
    const callback = location.href;
    history.replaceState(null, '', location.pathname);
    await auth.finish(callback, { server: settings.server });
    return await call();
  });
