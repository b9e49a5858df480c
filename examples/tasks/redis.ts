import { Redis } from 'ioredis';
import { redisTasks } from 'parley-mcp/redis';
import { createServer } from 'parley-mcp/server';

const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379');
const server = createServer({ name: 'reports', version: '1.0.0' }, { tasks: { store: redisTasks(redis) } });
server.tool('report', { task: 'required' }, () => 'all is well');
