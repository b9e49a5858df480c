/** Tasks in Redis or Valkey, for any number of processes. */

export { redisTasks, type RedisTasksOptions } from './redis/redis-tasks.ts';
export type { IoredisClient } from './redis/ioredis.ts';
export type { NodeRedisClient, RedisScriptValues } from './redis/node-redis.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './store/tasks.ts';
export type { Bus, Heard, Unsubscribe } from './store/bus.ts';
