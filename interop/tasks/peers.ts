/** Everybody else who has tasks, and some who have none. */

import { join } from 'node:path';
import { userCache } from '../../scripts/made-folder.ts';
import type { Program } from '../../scripts/toolchains/program.ts';
import { buildPython } from '../harness/build-python.ts';
import type { Course } from '../harness/drive.ts';
import type { Peer, Way } from '../harness/peer.ts';
import { peers as without } from '../harness/peers.ts';
import { runTasks } from './client.ts';
import { everythingExercises, plainExercises, taskExercises } from './plan.ts';
import { createTasks } from './server.ts';
import type { TaskStep } from './step.ts';

/** A peer, and what is done with it. */
export interface TaskPeer {
  readonly peer: Peer;
  readonly course: Course<TaskStep>;
}

const here = import.meta.dirname;
const ways: readonly Way[] = ['stdio', 'http'];
const server = { create: createTasks, program: join(here, 'serve.ts') };
const course: Course<TaskStep> = { exercises: taskExercises, server, client: runTasks };

function tasksProgram(name: string): Program {
  return { name: `tasks-${name}`, sources: join(here, 'peers', name), cache: userCache('parley-interop') };
}

/** What our client has nothing for, so that nothing is asked of their servers. */
const ofOurs = { list: 'our client lists no tasks', 'cancel an ended one': 'our client takes such a cancel for done' };

const sdk1: Peer = {
  name: 'sdk-1',
  title: 'the official SDK of TypeScript, version 1',
  newest: '2025-11-25',
  client: ways,
  server: ways,
  lacks: { client: {}, server: { ...ofOurs, 'protocol error': 'its store keeps results alone' } },
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
  build: () => buildPython(tasksProgram('python-1')),
};

const fastmcp: Peer = {
  name: 'fastmcp',
  title: 'fastmcp of Python with fastmcp-tasks',
  newest: '2026-07-28',
  client: ways,
  server: ways,
  lacks: { client: {}, server: {} },
  build: () => buildPython(tasksProgram('fastmcp')),
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
  .map((peer): TaskPeer => ({
    peer: {
      ...peer,
      title: `${peer.title}, which has no tasks`,
      client: ways,
      server: [],
      lacks: { client: {}, server: {} },
    },
    course: plainCourse,
  }));

/** All of them, in the order of the page. */
export const taskPeers: readonly [TaskPeer, ...TaskPeer[]] = [
  { peer: sdk1, course },
  { peer: python1, course },
  { peer: fastmcp, course },
  { peer: everything, course: { ...course, exercises: everythingExercises } },
  { peer: sdk2, course: plainCourse },
  ...plain,
];
