/** Everybody else who has tasks, and some who have none. */

import { join } from 'node:path';
import { userCache } from '../../scripts/made-folder.ts';
import { buildGo } from '../../scripts/toolchains/go.ts';
import { buildRust } from '../../scripts/toolchains/rust.ts';
import type { Program } from '../../scripts/toolchains/program.ts';
import { buildPythonPeer } from '../harness/build-python.ts';
import type { Course, Route } from '../harness/drive.ts';
import type { Peer, Way } from '../harness/peer.ts';
import { peers as without } from '../harness/peers.ts';
import { runTasks } from './client.ts';
import { everythingExercises, plainExercises, taskExercises } from './plan.ts';
import { bridgedRoutesOf, directRoutesOf, olderRoutesOf } from './routes.ts';
import { createTasks } from './server.ts';
import type { TaskStep } from './step.ts';

/** A peer, and what is done with it. */
export interface TaskPeer {
  readonly peer: Peer;
  readonly course: Course<TaskStep>;
  readonly routes: readonly Route[];
}

const here = import.meta.dirname;
const ways: readonly Way[] = ['stdio', 'http'];
const server = { create: createTasks, program: join(here, 'serve.ts') };
const course: Course<TaskStep> = { exercises: taskExercises, server, client: runTasks };

function tasksProgram(name: string): Program {
  return { name: `tasks-${name}`, sources: join(here, 'peers', name), cache: userCache('parley-interop') };
}

/** What our client has nothing for, so that nothing is asked of their servers. */
const ofOurs = {
  list: 'our client does not list tasks',
  'cancel an ended one': 'our client treats such a cancellation as successful',
};

const sdk1: Peer = {
  name: 'sdk-1',
  title: 'the official SDK of TypeScript, version 1',
  newest: '2025-11-25',
  client: ways,
  server: ways,
  lacks: { client: {}, server: { ...ofOurs, 'protocol error': 'its store keeps only results' } },
  build: () =>
    Promise.resolve({
      command: [process.execPath, join(here, 'peers/sdk-1/peer.mjs')],
      version: '@modelcontextprotocol/sdk 1.32.2',
    }),
};

const python1: Peer = {
  name: 'python-1',
  title: 'the official SDK of Python, version 1',
  newest: '2025-11-25',
  client: ways,
  server: ways,
  lacks: { client: {}, server: ofOurs },
  build: () => buildPythonPeer(tasksProgram('python-1')),
};

const fastmcp: Peer = {
  name: 'fastmcp',
  title: 'fastmcp of Python with fastmcp-tasks',
  newest: '2026-07-28',
  client: ways,
  server: ways,
  lacks: { client: { told: 'it does not subscribe to tasks' }, server: { told: 'it sends no task notifications' } },
  build: () => buildPythonPeer(tasksProgram('fastmcp')),
};

const extTasks: Peer = {
  name: 'ext-tasks',
  title: 'ext-tasks of TypeScript',
  newest: '2026-07-28',
  client: ways,
  server: [],
  lacks: { client: { 'no list for strangers': 'it requests no list if the server declares none' }, server: {} },
  build: () =>
    Promise.resolve({
      command: [process.execPath, join(here, 'peers/ext-tasks/peer.mjs')],
      version: '@modelcontextprotocol/ext-tasks 0.2.2, on @modelcontextprotocol/client 2.4.0',
    }),
};

const rust: Peer = {
  name: 'rust',
  title: 'the official SDK of Rust',
  newest: '2026-07-28',
  client: ways,
  server: ways,
  lacks: {
    client: { told: 'its subscription filter has no tasks' },
    server: { told: 'it sends no task notifications' },
  },
  build: () => buildRust(tasksProgram('rust'), 'rmcp'),
};

const mcpGo: Peer = {
  name: 'mcp-go',
  title: 'mark3labs/mcp-go',
  newest: '2025-11-25',
  client: ways,
  server: ways,
  lacks: {
    client: {
      'begin by CallTool':
        'it reads a task as a result without content, so the program starts tasks through the transport',
      'asks by a task': 'it does not answer with tasks',
    },
    server: { ...ofOurs, 'protocol error': 'its tasks always fail with -32603' },
  },
  build: () => buildGo(tasksProgram('mcp-go'), 'github.com/mark3labs/mcp-go'),
};

const sdk2: Peer = {
  name: 'sdk-2',
  title: 'the official SDK of TypeScript, version 2, whose client has no tasks',
  newest: '2026-07-28',
  client: ways,
  server: [],
  lacks: { client: {}, server: {} },
  build: () =>
    Promise.resolve({
      command: [process.execPath, join(here, 'peers/sdk-2/peer.mjs')],
      version: '@modelcontextprotocol/client 2.4.0',
    }),
};

const everything: Peer = {
  name: 'everything',
  title: 'the official server with everything',
  newest: '2025-11-25',
  client: [],
  server: ['stdio'],
  lacks: { client: {}, server: {} },
  build: () =>
    Promise.resolve({
      command: [process.execPath, join(here, 'peers/everything/peer.mjs')],
      version: '@modelcontextprotocol/server-everything 2026.8.31',
    }),
};

const plainCourse: Course<TaskStep> = { ...course, exercises: plainExercises };

/** Clients that know no tasks, by the programs of the other exercise. */
const plain = without
  .filter(({ name }) => ['python', 'go'].includes(name))
  .map((peer) => ({
    peer: {
      ...peer,
      title: `${peer.title}, which has no tasks`,
      client: ways,
      server: [],
      lacks: { client: {}, server: {} },
    },
    course: plainCourse,
  }))
  .map(({ peer, course }): TaskPeer => ({ peer, course, routes: directRoutesOf(peer) }));

/** A peer that has tasks, with both its ends and through a bridge. */
function whole(peer: Peer, more: readonly Route[] = []): TaskPeer {
  return { peer, course, routes: [...directRoutesOf(peer), ...more, ...bridgedRoutesOf(peer)] };
}

/** All of them, in the order of the page. */
export const taskPeers: readonly [TaskPeer, ...TaskPeer[]] = [
  whole(sdk1),
  whole(python1),
  whole(mcpGo),
  whole(fastmcp),
  whole(extTasks, olderRoutesOf(extTasks)),
  whole(rust),
  { peer: everything, course: { ...course, exercises: everythingExercises }, routes: directRoutesOf(everything) },
  { peer: sdk2, course: plainCourse, routes: directRoutesOf(sdk2) },
  ...plain,
];
