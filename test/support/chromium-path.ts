/** Where a real browser is on this machine. */

import { accessSync, constants } from 'node:fs';

/** Chromium without windows: it opens a page in a third of the processor time that the full browser takes. */
export const headlessShell = '/usr/bin/chromium-headless-shell';

/** Where systems put Chromium and its kin; a variable names another place. */
const places = [
  process.env['PARLEY_CHROMIUM'] ?? '',
  headlessShell,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The program; `undefined` where there is none. */
export const chromiumPath: string | undefined = places.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return path !== '';
  } catch {
    return false;
  }
});

/** Why tests with a browser are skipped; `false` where they are not. */
export const noChromium: string | false =
  chromiumPath === undefined && 'there is no Chromium, which PARLEY_CHROMIUM may name';

/** Arguments for pages of our own, which reach this machine alone. As root it starts in no other way. */
export const chromiumArguments: readonly string[] = [
  '--no-sandbox',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];
