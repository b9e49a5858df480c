/** The frame between the page and an app: it holds the app where it is, and hands messages on. */

import { createHash } from 'node:crypto';

// An app cannot leave its frame: the policy of this page decides what it may load, not its own.
const script = `'use strict';
const { app, host } = document.documentElement.dataset;
const frame = document.createElement('iframe');
const own = (data) => typeof data?.method === 'string' && data.method.startsWith('ui/notifications/sandbox-');
document.body.style.margin = '0';
frame.style.cssText = 'border:0;display:block;width:100%;height:100vh';
frame.title = 'App';
frame.setAttribute('sandbox', 'allow-scripts allow-forms');
addEventListener('message', ({ source, origin, data }) => {
  if (own(data)) return;
  if (source === parent && origin === host) frame.contentWindow.postMessage(data, '*');
  else if (source === frame.contentWindow) parent.postMessage(data, host);
});
frame.src = app;
document.body.append(frame);
`;

const hash = createHash('sha256').update(script).digest('base64');

/** Its policy. @param origins Origins of the page, and of apps. */
export function proxyPolicy({ page, apps }: { readonly page: string; readonly apps: string }): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    `frame-src ${apps}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${page}`,
    'sandbox allow-scripts allow-forms',
  ].join('; ');
}

/** Its text. @param app Address of the app, which has no letter that HTML reads as its own. */
export function proxyPage(app: string, page: string): string {
  return `<!doctype html><html lang="en" data-app="${app}" data-host="${page}"><meta charset="utf-8"><title>App</title><body><script>${script}</script></body></html>`;
}
