/** Stores in Redis or Valkey, for any number of processes. */

export { redis, type RedisStore, type RedisStoreOptions } from './redis/store/redis-store.ts';
export { redisCache, type RedisCache, type RedisCacheOptions } from './redis/store/redis-cache.ts';
export type { RedisClient, RedisSentinels } from './redis/store/client.ts';
export { redisTasks, type RedisTasksOptions } from './redis/redis-tasks.ts';
export type { IoredisClient } from './redis/ioredis.ts';
export type { NodeRedisClient } from './redis/node-redis.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './store/tasks.ts';
export type { Bus, Heard, Unsubscribe } from './store/bus.ts';
export type { CacheStore } from './store/cache.ts';
export type { CountingBus } from './store/bus.ts';
export type { NowOrLater } from './store/now-or-later.ts';
export type { KeptRecord, Records } from './store/records.ts';
export type { KeptEvent, StreamLog, StreamLogs, StreamRest, StreamWriter } from './store/stream-log.ts';
export type { Allowance, Limits, RateLimit } from './store/limits.ts';
export { StoreError, type Store, type StoreErrorReason } from './store/store.ts';
export type { SealingKey, SealingKeys } from './seal/sealing-key.ts';
