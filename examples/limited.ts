import { listen } from 'parley-mcp/node';
import { createServer } from 'parley-mcp/server';

const rateLimits = {
  requests: { perSecond: 20, burst: 100 },
  initialize: { perSecond: 0.2, burst: 5 },
  tools: { perSecond: 5, burst: 20 },
  byTool: { report: { perSecond: 0.1, burst: 2 } },
};
const server = createServer({ name: 'reports', version: '1.0.0' }, { rateLimits });
server.tool('report', { description: 'Takes a while.' }, () => 'all is well');

const served = await listen(server, {
  port: Number(process.env['PORT'] ?? 3000),
  health: { live: '/livez', ready: '/readyz' },
  maxLagMs: 200,
});
console.log(served.url);

const times = { readyTimeoutMs: 5000, drainTimeoutMs: 30_000 };
process.once('SIGTERM', () => void served.close(times).then(() => server.close()));
