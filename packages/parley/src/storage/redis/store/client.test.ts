import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listeningSettings, madeOf } from './client.ts';

const sentinels = { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'main' };

for (const [what, given] of [
  ['a URL', 'redis://127.0.0.1:1'],
  ['sentinels', sentinels],
] as const)
  test(`a connection by ${what} has as long to open as a call has`, async () => {
    for (const [callMs, connectTimeout, socketTimeout] of [
      [2_000, 2_000, 5_000],
      [30_000, 30_000, 75_000],
    ] as const) {
      const client = await madeOf(given, callMs);
      const { options } = client;
      assert.partialDeepStrictEqual(options, { connectTimeout, socketTimeout });
      // One that listens may be silent for as long as nothing is said.
      const ear = client.duplicate(listeningSettings);
      assert.partialDeepStrictEqual(ear.options, { connectTimeout });
      assert.equal((ear.options as { readonly socketTimeout?: number }).socketTimeout, undefined);
      ear.disconnect();
      client.disconnect();
    }
  });
