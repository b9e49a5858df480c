/** What the specification deprecated is marked so where people program against it. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

for (const [path, name, proposal] of [
  ['server/definition/tool-context.ts', 'log(', 'SEP-2577'],
  ['server/definition/tool-context.ts', 'sample(', 'SEP-2577'],
  ['server/definition/tool-context.ts', 'roots(', 'SEP-2577'],
  ['server/definition/options.ts', 'readonly logging?:', 'SEP-2577'],
  ['transports/http/server/exchanges/options.ts', 'readonly ssePair?:', 'SEP-2596'],
  ['client/api/input-handlers.ts', 'readonly onSample?:', 'SEP-2577'],
  ['client/api/input-handlers.ts', 'readonly roots?:', 'SEP-2577'],
  ['client/api/options.ts', 'readonly onLog?:', 'SEP-2577'],
  ['client/api/client.ts', 'setLogLevel(', 'SEP-2577'],
  ['client/api/request-options.ts', 'readonly logLevel?:', 'SEP-2577'],
  ['protocol/features/sampling.ts', 'readonly includeContext?:', 'SEP-2596'],
] as const) {
  test(`${name} of ${path} is marked as deprecated, with the proposal and the earliest end [basic-039]`, () => {
    const text = readFileSync(new URL(`../../packages/parley/src/${path}`, import.meta.url), 'utf8');
    const at = text.indexOf(`\n  ${name}`);
    assert.ok(at > 0);
    const comment = text.slice(text.lastIndexOf('/**', at), at);
    assert.match(comment, new RegExp(`@deprecated Since \\d{4}-\\d\\d-\\d\\d \\(${proposal}\\)[^@]*may remove it`));
  });
}
