/** What holds for the HTTP client with the `fetch` of the runtime holds with that of Node too. */

import { sendBy } from '../../../../../../test/support/http-answers.ts';
import { nodeFetch } from './fetch.ts';

sendBy(nodeFetch());
await import('../../http/client/transport.test.ts');
await import('../../http/client/transport-limits.test.ts');
await import('../../http/client/resume.test.ts');
await import('../../http/client/sse-pair.test.ts');
