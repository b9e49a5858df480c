/** The program that opens pages on the machine of a test: it notes the page and goes through it, as its person would. */

import { appendFile, readFile } from 'node:fs/promises';
import { visitPages } from './visited-pages.ts';
import type { PersonOptions } from './page-opener.ts';

const [pages = '', options = '{}', url = ''] = process.argv.slice(2);
await appendFile(pages, `${url}\n`);
// Written by the test that made the machine.
const { absent = false, absentFirst = false, absentLater = false, ...visit } = JSON.parse(options) as PersonOptions;
const isFirst = (await readFile(pages, 'utf8')).trim() === url;
if (!absent && !(absentFirst && isFirst) && !(absentLater && !isFirst)) await fetch(await visitPages(url, visit));
