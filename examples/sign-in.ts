import { connect } from 'parley-mcp/client';
import { fileCredentialStore, guardedFetch, loopback } from 'parley-mcp/node';
import { oauth } from 'parley-mcp/oauth';

// The browser opens at the first 401. The grant is stored for later runs and other processes.
const auth = oauth({ redirect: loopback(), store: fileCredentialStore(), fetch: guardedFetch() });
const client = await connect(process.argv[2] ?? 'https://mcp.example.com/mcp', { auth });
console.log((await client.callTool('list')).content);

await client.close();
