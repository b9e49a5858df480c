import { connect } from 'parley-mcp/client';
import { redisCache } from 'parley-mcp/redis';

const cacheStore = redisCache(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { name: 'weather' });
const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp', { cacheStore });
console.log((await client.listTools()).map(({ name }) => name));

// Close the cache after its clients. An open one keeps the process alive.
await client.close();
cacheStore.close();
