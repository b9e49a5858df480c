import { Pool } from 'pg';
import { postgresTasks } from 'parley-mcp/postgres';
import { createServer } from 'parley-mcp/server';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
pool.on('error', (error) => console.error(error));
const server = createServer({ name: 'reports', version: '1.0.0' }, { tasks: { store: postgresTasks(pool) } });
server.tool('report', { task: 'required' }, () => 'all is well');
