/** The window in which a person signs in, from its opening to its return. */

import { AuthorizationError } from '../../common/errors.ts';
import type { RedirectRequest } from '../../common/redirect.ts';
import { pauseFor } from '../site.ts';
import { bare } from './bare-url.ts';
import type { PopupOpener, PopupOptions, PopupWindow } from './popup.ts';

/** Interval of checks of the window, in milliseconds: no event reports that it came back, or was closed. */
const lookMs = 100;

/** Opens a window, at once or after a click. */
export async function openedWindow(
  window: PopupOpener,
  options: PopupOptions,
  signal: AbortSignal,
): Promise<PopupWindow> {
  const open = (): PopupWindow | null => window.open('about:blank', '_blank', featuresFor(window, options));
  const opened = open();
  if (opened !== null) return opened;
  const { onBlocked } = options;
  if (onBlocked === undefined)
    throw new AuthorizationError(
      'login-required',
      'the browser blocked the sign-in window, since there was no click: sign in from a click, or give popup the option onBlocked',
    );
  return await new Promise((resolve, reject) => {
    // The reason comes from the owner of the signal.
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

/** Waits until it is back with an answer; `denied` when it is closed. */
export async function cameBack(opened: PopupWindow, request: RedirectRequest, signal: AbortSignal): Promise<string> {
  for (;;) {
    const href = answerIn(opened, request);
    if (href !== undefined) return href;
    if (opened.closed)
      throw new AuthorizationError(
        'denied',
        `the window to sign in at ${request.issuer} was closed; if the user did not close it, its pages isolate themselves (Cross-Origin-Opener-Policy): use page()`,
        { issuer: request.issuer },
      );
    await pauseFor(lookMs, signal);
  }
}

/** The address of a window that came back. It may pass through another page of ours, which is not the answer. */
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
