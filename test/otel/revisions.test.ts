import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createConnect } from '../../packages/parley/src/client/connect.ts';
import { otel } from '../../packages/parley/src/otel.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server/server.ts';
import { shakesHands } from '../support/bridged.ts';
import { forgetContext, registerContext, telemetry } from '../support/telemetry.ts';
import { ways } from '../support/ways.ts';

before(registerContext);
after(forgetContext);

const word = { type: 'object', properties: { word: { type: 'string' } } } as const;

function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.find((span) => span.name === name);
  assert.ok(found, `no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

for (const { date } of revisions) {
  for (const { name: way, reach } of ways) {
    test(`a call at ${date} over ${way} is two spans of one trace, with the attributes of the conventions [D29]`, async (t) => {
      const [there, here] = [telemetry(), telemetry()];
      const server = createServer({ name: 's', version: '1' });
      server.use(otel(there.options));
      server.tool('echo', { input: word }, (given, ctx) => {
        ctx.progress(1, 2);
        return String(given.word);
      });
      const client = await createConnect({ http: () => assert.fail() })(reach(server), { revisions: [date] });
      t.after(() => client.close());
      client.use(otel(here.options));
      await client.listTools({ cache: 'refresh' });
      await client.callTool('echo', { word: 'secret' }, { onProgress: () => undefined });

      await there.ended('tools/call echo');
      const sent = named(here.spans(), 'tools/call echo');
      const served = named(there.spans(), 'tools/call echo');
      const shared = {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'echo',
        'gen_ai.operation.name': 'execute_tool',
        'mcp.protocol.version': date,
        'jsonrpc.request.id': served.attributes['jsonrpc.request.id'],
        ...(way === 'HTTP'
          ? { 'network.transport': 'tcp', 'network.protocol.name': 'http' }
          : { 'network.transport': 'inproc' }),
      };
      const ofServer = way === 'HTTP' ? { 'server.address': '127.0.0.1', 'server.port': 80 } : {};
      assert.deepEqual(sent.attributes, { ...shared, ...ofServer });
      const { 'mcp.session.id': session, ...others } = served.attributes;
      assert.deepEqual(others, shared);
      assert.equal(typeof session, shakesHands(date) && way === 'HTTP' ? 'string' : 'undefined');
      assert.equal(typeof served.attributes['jsonrpc.request.id'], 'string');
      assert.deepEqual([sent.kind, served.kind], [SpanKind.CLIENT, SpanKind.SERVER]);
      assert.deepEqual([sent.status.code, served.status.code], [SpanStatusCode.UNSET, SpanStatusCode.UNSET]);
      assert.equal(served.spanContext().traceId, sent.spanContext().traceId);
      assert.equal(served.parentSpanContext?.spanId, sent.spanContext().spanId);

      // What the handler sends is within what it serves, and reaches the client as its own.
      const told = named(there.spans(), 'notifications/progress');
      const heard = named(here.spans(), 'notifications/progress');
      assert.deepEqual([told.kind, heard.kind], [SpanKind.CLIENT, SpanKind.SERVER]);
      assert.equal(told.parentSpanContext?.spanId, served.spanContext().spanId);
      assert.equal(heard.parentSpanContext?.spanId, told.spanContext().spanId);
      assert.equal(heard.spanContext().traceId, sent.spanContext().traceId);

      // Opening is traced as well: with the revision that it settled.
      const opening = named(there.spans(), shakesHands(date) ? 'initialize' : 'server/discover');
      assert.equal(opening.attributes['mcp.protocol.version'], date);
      assert.equal(opening.attributes['mcp.session.id'], session);
    });

    test(`what a tool asks at ${date} over ${way} is in the trace of its call`, async (t) => {
      const [there, here] = [telemetry(), telemetry()];
      const server = createServer({ name: 's', version: '1' });
      server.use(otel(there.options));
      server.tool('ask', {}, async (_, ctx) => String((await ctx.roots()).length));
      const options = { revisions: [date], roots: [] };
      const client = await createConnect({ http: () => assert.fail() })(reach(server), options);
      t.after(() => client.close());
      client.use(otel(here.options));
      await client.callTool('ask');
      await there.ended('tools/call ask');
      const sent = here.spans().filter((span) => span.name === 'tools/call ask');
      assert.equal(sent.length, 1);
      const [call] = sent;
      const served = there.spans().filter((span) => span.name === 'tools/call ask');
      // In rounds, one for each of the client's requests.
      assert.equal(served.length, shakesHands(date) ? 1 : 2);
      for (const span of served) assert.equal(span.parentSpanContext?.spanId, call?.spanContext().spanId);
      if (!shakesHands(date)) return;
      const asked = named(there.spans(), 'roots/list');
      const answered = named(here.spans(), 'roots/list');
      assert.deepEqual([asked.kind, answered.kind], [SpanKind.CLIENT, SpanKind.SERVER]);
      assert.equal(asked.parentSpanContext?.spanId, served[0]?.spanContext().spanId);
      assert.equal(answered.parentSpanContext?.spanId, asked.spanContext().spanId);
    });

    test(`a session at ${date} over ${way} is measured by both sides, once`, async () => {
      const [there, here] = [telemetry(), telemetry()];
      const server = createServer({ name: 's', version: '1' });
      server.use(otel(there.options));
      const client = await createConnect({ http: () => assert.fail() })(reach(server), { revisions: [date] });
      client.use(otel(here.options));
      if (shakesHands(date)) await client.ping();
      await client.listTools({ cache: 'refresh' }).catch(() => undefined);
      await client.close();
      await server.close();
      const sessions = async ({ points }: typeof here): Promise<unknown> =>
        (await points())
          .filter(({ metric }) => metric.endsWith('session.duration'))
          .map(({ metric, count, attributes }) => [metric, count, attributes['mcp.protocol.version']]);
      const has = shakesHands(date);
      assert.deepEqual(await sessions(here), has ? [['mcp.client.session.duration', 1, date]] : []);
      assert.deepEqual(await sessions(there), has ? [['mcp.server.session.duration', 1, date]] : []);
    });
  }
}
