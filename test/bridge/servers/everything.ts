/** The official example server over HTTP; over stdio it is started as it is: `node everything.ts http`. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { keepToLoopback } from './loopback.ts';

// It tells of its port, which is not the one that it got.
console.error = () => undefined;
keepToLoopback();
const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
await import(new URL('./transports/streamableHttp.js', pathToFileURL(main)).href);
