/** `node raw-client-main.ts <url> <revision> [mistake]`: the raw client as a program. */

import { RawClient, type Mistake } from './raw-client.ts';

const [url = '', revision = '', mistake] = process.argv.slice(2);
await new RawClient(url, revision, mistake as Mistake | undefined).run();
