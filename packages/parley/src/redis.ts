/** Stores in Redis or Valkey, for any number of processes. */

export { redis, type RedisStore, type RedisStoreOptions } from './storage/redis/store/redis-store.ts';
export { redisCache, type RedisCache, type RedisCacheOptions } from './storage/redis/store/redis-cache.ts';
export type { RedisClient, RedisSentinels } from './storage/redis/store/client.ts';
export { redisTasks, type RedisTasksOptions } from './storage/redis/redis-tasks.ts';
export type { IoredisClient } from './storage/redis/ioredis.ts';
export type { NodeRedisClient } from './storage/redis/node-redis.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './storage/tasks.ts';
export type { Bus, SubscriberCount, Unsubscribe } from './storage/bus.ts';
export type { CacheStore } from './storage/cache.ts';
export type { CountingBus } from './storage/bus.ts';
export type { MaybePromise } from './storage/maybe-promise.ts';
export type { StoredRecord, Records } from './storage/records.ts';
export type { StoredEvent, StreamLog, StreamLogs, StreamTail, StreamWriter } from './storage/stream-log.ts';
export type { RateDecision, Limits, RateLimit } from './storage/limits.ts';
export { StoreError, type Store } from './storage/store.ts';
export type { SealingKey, SealingKeys } from './sealing/sealing-key.ts';
