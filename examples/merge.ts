import { createBridge } from 'parley-mcp/bridge';
import { createServer } from 'parley-mcp/server';
import { connectInMemory, memoryTransport } from 'parley-mcp/testing';

// Two servers in this process. An upstream can also be a URL, or `spawn(command, args)` from `parley-mcp/stdio`.
const weather = createServer({ name: 'weather', version: '1.0.0' });
weather.tool('forecast', {}, () => 'sunny');
const clock = createServer({ name: 'clock', version: '1.0.0' });
clock.tool('time', {}, () => '12:00');

const bridge = await createBridge({
  upstreams: {
    weather: { upstream: memoryTransport(weather) },
    clock: { upstream: memoryTransport(clock) },
  },
});

// To serve HTTP, call `listen(bridge, { port: 3000 })`.
for (const revision of ['2024-11-05', '2026-07-28'] as const) {
  const client = await connectInMemory(bridge, { revision });
  console.log(client.revision, (await client.listTools()).map(({ name }) => name).toSorted());
  console.log((await client.callTool('time')).content);
  await client.close();
}
await bridge.close();
