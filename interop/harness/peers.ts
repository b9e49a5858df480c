/** Everybody else. */

import { buildGo } from '../../scripts/toolchains/go.ts';
import { buildRust } from '../../scripts/toolchains/rust.ts';
import { buildJava } from './build-java.ts';
import { buildPythonPeer } from './build-python.ts';
import { programOf } from './cache.ts';
import type { Peer, Way } from './peer.ts';

const everyWay: readonly Way[] = ['stdio', 'http', 'sse'];

export const python: Peer = {
  name: 'python',
  title: 'the official SDK of Python',
  newest: '2026-07-28',
  client: everyWay,
  server: everyWay,
  lacks: { client: {}, server: {} },
  build: () => buildPythonPeer(programOf('python')),
};

const go: Peer = {
  name: 'go',
  title: 'the official SDK of Go',
  newest: '2026-07-28',
  client: everyWay,
  server: ['stdio', 'http', 'stateless', 'sse'],
  lacks: { client: {}, server: {} },
  build: () => buildGo(programOf('go'), 'github.com/modelcontextprotocol/go-sdk'),
};

const rust: Peer = {
  name: 'rust',
  title: 'the official SDK of Rust',
  newest: '2026-07-28',
  client: ['stdio', 'http'],
  server: ['stdio', 'http'],
  lacks: { client: {}, server: {} },
  build: () => buildRust(programOf('rust'), 'rmcp'),
};

const java: Peer = {
  name: 'java',
  title: 'the official SDK of Java',
  newest: '2025-11-25',
  client: everyWay,
  server: everyWay,
  lacks: {
    client: {
      cancel: 'it does not cancel calls',
      'cancelled there': 'it does not cancel calls',
    },
    server: {
      cancel: 'it does not notify a handler of a cancelled call',
      'cancelled there': 'it does not notify a handler of a cancelled call',
    },
  },
  build: () => buildJava(programOf('java'), 'io.modelcontextprotocol.sdk:mcp'),
};

const mcpGo: Peer = {
  name: 'mcp-go',
  title: 'mark3labs/mcp-go',
  newest: '2026-07-28',
  client: everyWay,
  server: everyWay,
  lacks: { client: {}, server: {} },
  build: () => buildGo(programOf('mcp-go'), 'github.com/mark3labs/mcp-go'),
};

const fastmcp: Peer = {
  name: 'fastmcp',
  title: 'fastmcp of Python',
  newest: '2026-07-28',
  client: everyWay,
  server: everyWay,
  lacks: { client: {}, server: {} },
  build: () => buildPythonPeer(programOf('fastmcp')),
};

/** All of them, in the order of the page. */
export const peers: readonly Peer[] = [python, go, rust, java, fastmcp, mcpGo];
