import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { forgetContext, registerContext, telemetry } from '../../../../test/support/telemetry.ts';
import { connect } from '../../../parley/src/client.ts';
import { otel } from '../../../parley/src/otel.ts';
import { exampleCommand, inThisProcess, start } from '../../../../test/support/cli-process.ts';

const urlLine = /^ {2}url {6}(\S+)$/m;
const sdk = new URL('../../../../test/support/telemetry-sdk.ts', import.meta.url).href;

/** A module that has OpenTelemetry be missing. */
const missing = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, about, next) => {
  if (name === '@opentelemetry/api') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
  return next(name, about);
} });`)}`;

interface Told {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
}

function spansIn(stderr: string): readonly Told[] {
  return [...stderr.matchAll(/^span (.*)$/gm)].map(([, json]) => JSON.parse(String(json)) as Told);
}

describe('parley bridge --otel', { concurrency: 2 }, () => {
  before(registerContext);
  after(forgetContext);

  test('goes on with the trace of a client, and tells of all of it before it ends', async () => {
    const here = telemetry();
    const { child, said, ended } = start(['bridge', '--port', '0', '--otel', '--', ...exampleCommand], {
      NODE_OPTIONS: `--import ${sdk}`,
    });
    const client = await connect(await said(urlLine), { revisions: ['2025-11-25'] });
    client.use(otel(here.options));
    await client.listTools({ cache: 'refresh' });
    await client.close();
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
    const sent = here
      .spans()
      .find(({ name }) => name === 'tools/list')
      ?.spanContext();
    const all = spansIn(stderr).filter(({ name, traceId }) => name === 'tools/list' && traceId === sent?.traceId);
    const served = all.find(({ kind }) => kind === SpanKind.SERVER);
    assert.equal(served?.parent, sent?.spanId);
    assert.ok(all.every(({ kind, parent }) => kind !== SpanKind.CLIENT || parent === served?.spanId));
  });

  test('says what to install where OpenTelemetry is missing, before anything is started', async () => {
    const { ended } = start(['bridge', '--otel', '--', 'no-such-command'], { NODE_OPTIONS: `--import ${missing}` });
    const { code, stderr } = await ended;
    assert.equal(code, 2);
    assert.match(
      stderr,
      /--otel needs the package @opentelemetry\/api beside parley-cli: npm install @opentelemetry\/api@1\.9$/m,
    );
  });

  test('says that no SDK is registered, rather than do nothing', async () => {
    const { code, stderr } = await inThisProcess(['bridge', '--otel', '--', 'no-such-command']);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /--otel found no SDK of OpenTelemetry that is registered: .* NODE_OPTIONS="--import .*; parley help bridge says/,
    );
  });

  test('has no trust without it, and no other trust than there is', async () => {
    const alone = await inThisProcess(['bridge', '--otel-trust', 'link', '--', 'no-such-command']);
    assert.deepEqual([alone.code, alone.stderr], [2, 'parley: --otel-trust goes with --otel\n']);
    const other = await inThisProcess(['start', '--otel', '--otel-trust', 'all']);
    assert.deepEqual([other.code, other.stderr], [2, 'parley: --otel-trust takes parent or link, not "all"\n']);
  });
});
