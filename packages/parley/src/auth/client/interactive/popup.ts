/** Sending a person to an authorization server in a window of its own, while the page stays. */

import type { Redirect } from '../../common/redirect.ts';
import { bare } from './bare-url.ts';
import { cameBack, openedWindow } from './popup-window.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseOther } from '../../../options/known-values.ts';

/** As much of a page's `window` as is used. */
export interface PopupOpener {
  /** Address of the page. */
  readonly location: { readonly href: string };
  /** Place and size of the window on the screen, in pixels. */
  readonly screenX?: number;
  /** Position of the page's window. */
  readonly screenY?: number;
  /** Size of the page's window. */
  readonly outerWidth?: number;
  /** Size of the page's window. */
  readonly outerHeight?: number;
  /** Opens a window, or returns null if the browser blocks it. */
  open(url: string, target: string, features: string): PopupWindow | null;
}

/** As much of a window that was opened as is used. */
export interface PopupWindow {
  /** True once the user closed it. */
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
   * Address to which the authorization server sends the window back: a page of the same origin, which may be empty,
   * since the window closes at once. By default the address of the page itself, without query and fragment.
   */
  readonly redirectUri?: string;
  /** In pixels; 500. */
  readonly width?: number;
  /** In pixels; 700. */
  readonly height?: number;
  /**
   * Called if the browser blocks the window, because there was no click. It should show a button, and call `open` on a
   * click. Without it the login then fails.
   */
  readonly onBlocked?: (open: () => void) => void;
}

const optionNames: Names<PopupOptions> = { redirectUri: 1, width: 1, height: 1, onBlocked: 1 };

/**
 * Sends a user to an authorization server in a separate window, which closes when it comes back. Browsers open windows
 * only after a click: connect or sign in from a click, or give `onBlocked`. An authorization server whose pages isolate
 * themselves from other windows (`Cross-Origin-Opener-Policy`) needs `page` instead.
 *
 * @param window The `window` of the page.
 * @throws TypeError for unknown options.
 * @example const auth = oauth({ redirect: popup(window), store: browserCredentialStore() });
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
      let isClosed = false;
      return {
        redirectUri,
        async visit(request, signal) {
          opened = await openedWindow(window, options, signal);
          // The caller may have stopped waiting meanwhile, and closed the window.
          if (isClosed) opened.close();
          signal.throwIfAborted();
          // The page belongs to another site, and must not redirect ours.
          opened.opener = null;
          opened.location.replace(request.url);
          return await cameBack(opened, request, signal);
        },
        close: () => {
          isClosed = true;
          opened?.close();
        },
      };
    },
  };
}
