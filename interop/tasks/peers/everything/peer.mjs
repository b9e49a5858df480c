/** The server with everything of the official servers: `peer.mjs serve stdio` serves, by a program of its own. */

process.argv.splice(2, 2, 'stdio');
await import('@modelcontextprotocol/server-everything/dist/index.js');
