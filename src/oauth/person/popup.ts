/** Sending a person to an authorization server in a window of its own, while the page stays. */

import { AuthorizationError } from '../../auth/errors.ts';
import type { Redirect, RedirectRequest } from '../../auth/redirect.ts';
import { refuseUnknown, type Names } from '../../mistakes/known-names.ts';
import { refuseOther } from '../../mistakes/known-values.ts';
import { pauseFor } from '../site.ts';

/** As much of a page's `window` as is used. */
export interface PopupOpener {
  /** Address of the page. */
  readonly location: { readonly href: string };
  /** Place and size of the window on the screen, in pixels. */
  readonly screenX?: number;
  /** Likewise. */
  readonly screenY?: number;
  /** Likewise. */
  readonly outerWidth?: number;
  /** Likewise. */
  readonly outerHeight?: number;
  /** Opens a window, or gives null where the browser does not. */
  open(url: string, target: string, features: string): PopupWindow | null;
}

/** As much of a window that was opened as is used. */
export interface PopupWindow {
  /** True once somebody closed it. */
  readonly closed: boolean;
  /** Address that it shows. Reading it throws while the window shows a page of another origin. */
  readonly location: { readonly href: string; replace(url: string): void };
  /** The page that opened it, as it sees that. */
  opener: unknown;
  /** Closes it; closing twice is fine. */
  close(): void;
}

/** Options of a window to sign in; everything has a default. */
export interface PopupOptions {
  /**
   * Address to which the authorization server sends the window back: a page of the same origin, which may be empty, since it is closed as soon
   * as it is there. The address of the page itself by default, without what follows `?` and `#`.
   */
  readonly redirectUri?: string;
  /** In pixels; 500. */
  readonly width?: number;
  /** In pixels; 700. */
  readonly height?: number;
  /**
   * Is called where the browser opens no window, since nobody has just clicked: it shows a button, and calls `open` when that is
   * clicked. Without it the login fails then.
   */
  readonly onBlocked?: (open: () => void) => void;
}

const optionNames: Names<PopupOptions> = { redirectUri: 1, width: 1, height: 1, onBlocked: 1 };

/** Time between two looks at the window, in milliseconds: no event tells that it came back, or was closed. */
const lookMs = 100;

/**
 * Sends a person to an authorization server in a window of its own, which is closed when it comes back. Browsers open windows for
 * who has just clicked: connect or sign in from a click, or give `onBlocked`. An authorization server whose pages cut themselves
 * off from other windows (`Cross-Origin-Opener-Policy`) needs `page` instead.
 *
 * @param window The `window` of the page.
 * @throws TypeError for options that do not exist.
 * @example
 * const auth = oauth({ redirect: popup(window), store: browserCredentialStore() });
 */
export function popup(window: PopupOpener, options: PopupOptions = {}): Redirect {
  refuseUnknown('popup', options, optionNames);
  refuseOther('function', 'onBlocked', options.onBlocked);
  if (typeof window?.open !== 'function') throw new TypeError('popup needs the window of a page');
  const redirectUri = options.redirectUri ?? bare(window.location.href);
  return {
    redirectUris: [redirectUri],
    async open() {
      let opened: PopupWindow | undefined;
      return {
        redirectUri,
        async visit(request, signal) {
          opened = await openedWindow(window, options, signal);
          // The page there is somebody else's, and must not lead ours elsewhere.
          opened.opener = null;
          opened.location.replace(request.url);
          return await cameBack(opened, request, signal);
        },
        close: () => opened?.close(),
      };
    },
  };
}

/** A URL without what a page may have added to its own. */
export function bare(href: string): string {
  const url = new URL(href);
  url.search = '';
  url.hash = '';
  return url.href;
}

async function openedWindow(window: PopupOpener, options: PopupOptions, signal: AbortSignal): Promise<PopupWindow> {
  const open = (): PopupWindow | null => window.open('about:blank', '_blank', featuresFor(window, options));
  const opened = open();
  if (opened !== null) return opened;
  const { onBlocked } = options;
  if (onBlocked === undefined)
    throw new AuthorizationError(
      'login-required',
      'the browser opened no window to sign in, since nobody has just clicked: sign in from a click, or give popup the option onBlocked',
    );
  return await new Promise((resolve, reject) => {
    // The reason is what the owner of the signal gave.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    onBlocked(() => {
      const late = signal.aborted ? null : open();
      if (late !== null) resolve(late);
    });
  });
}

/** In the middle of the page's own window. */
function featuresFor(
  { screenX = 0, screenY = 0, outerWidth = 0, outerHeight = 0 }: PopupOpener,
  { width = 500, height = 700 }: PopupOptions,
): string {
  const left = Math.max(0, Math.round(screenX + (outerWidth - width) / 2));
  const top = Math.max(0, Math.round(screenY + (outerHeight - height) / 2));
  return `popup=yes,width=${width},height=${height},left=${left},top=${top}`;
}

async function cameBack(opened: PopupWindow, request: RedirectRequest, signal: AbortSignal): Promise<string> {
  for (;;) {
    const href = answerIn(opened, request);
    if (href !== undefined) return href;
    if (opened.closed)
      throw new AuthorizationError(
        'denied',
        `the window to sign in at ${request.issuer} was closed; where nobody closed it its pages cut themselves off (Cross-Origin-Opener-Policy), and page() signs in`,
        { issuer: request.issuer },
      );
    await pauseFor(lookMs, signal);
  }
}

/** The address of a window that came back; another page of ours may be on the way, and is no answer. */
function answerIn(opened: PopupWindow, { redirectUri, state }: RedirectRequest): string | undefined {
  let href: string;
  try {
    ({ href } = opened.location);
  } catch {
    // A page of another origin is there.
    return undefined;
  }
  if (!URL.canParse(href) || bare(href) !== bare(redirectUri)) return undefined;
  return new URL(href).searchParams.getAll('state').includes(state) ? href : undefined;
}
