/** A server whose tools ask, change what it has, and say things meanwhile: faults are planted in it that need one of those. */

import { createServer, type Server } from '../../packages/parley/src/server.ts';

const form = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] } as const;
const place = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  },
  required: ['region', 'count'],
} as const;

/** Calls that are allowed. */
export const livelyCalls: readonly { readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[] = [
  { name: 'ask' },
  { name: 'choose' },
  { name: 'twice' },
  { name: 'grow' },
  { name: 'run' },
  { name: 'show' },
  { name: 'place', args: { region: 'Oslo', count: 42 } },
];

/** @param isModern True for one that speaks the newest revision alone. */
export function livelyServer(isModern: boolean): Server {
  const server = createServer(
    { name: 'lively', version: '1.0.0' },
    { pageSize: 4, ...(isModern && { revisions: ['2026-07-28'] }) },
  );
  let grown = 0;
  for (const name of ['ask', 'choose'])
    server.tool(name, {}, async (_, ctx) => {
      if (!ctx.client.supports('elicitation')) return 'nobody can be asked';
      const { action } = await ctx.elicit({ message: `${name}: sure?`, schema: form });
      return `${name}: ${action}`;
    });
  server.tool('twice', {}, async (_, ctx) => {
    if (!ctx.client.supports('elicitation')) return 'nobody can be asked';
    const first = await ctx.elicit({ message: 'Sure?', schema: form });
    const second = await ctx.elicit({ message: 'Really?', schema: form });
    return `${first.action} ${second.action}`;
  });
  server.tool('grow', {}, () => {
    grown++;
    server.tool(`grown-${grown}`, {}, () => 'grown');
    server.prompt(`grown-${grown}`, {}, () => 'grown');
    server.resource(`memo://grown-${grown}`, { name: 'grown' }, () => 'grown');
    server.resourceUpdated('memo://one');
    return 'it grew';
  });
  server.tool('run', {}, (_, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step);
    return 'ran';
  });
  server.tool('place', { input: place }, ({ region, count }) => `${region} ${count}`);
  server.tool('show', { meta: { ui: { resourceUri: 'ui://show' } } }, () => 'shown');
  server.resource('ui://show', { name: 'show', mimeType: 'text/html;profile=mcp-app' }, () => '<p>shown</p>');
  server.resource('memo://one', { name: 'one' }, () => `grown ${grown} times`);
  server.prompt('welcome', {}, () => 'hello');
  return server;
}
