/** A program that a page is opened with, whose person signs in, agrees, and comes back. */

import { visitPages } from './visited-pages.ts';

const [url = ''] = process.argv.slice(2);
await fetch(await visitPages(url, { login: 'anna' }));
