/** For tests of servers and clients: connections in memory, recordings, scripted servers and transcripts. */

export type { Fetch, FetchRequest, FetchResponse } from './jsonrpc/fetch.ts';
export { connectInMemory, type PairOptions } from './testing/pair.ts';
export { testIssuer, type TestIssuer, type TestIssuerOptions, type TestToken } from './testing/issuer.ts';
export { record, type Recording } from './testing/recorder.ts';
export type { ObservedMessage } from './connection/observe.ts';
export { memoryTransport, type MemoryTransportOptions } from './testing/memory-transport.ts';
export {
  scriptedTransport,
  type Script,
  type ScriptedPeer,
  type ScriptedTransport,
  type SentMessage,
} from './testing/scripted.ts';
export { taskStoreContract, type SharedTaskStores, type TaskStoreTest } from './testing/task-store.ts';
export { testStore, type StoresUnderTest, type StoreTest, type TestStoreOptions } from './testing/test-store.ts';
export type { StoreFault } from './testing/store/checks.ts';
export { StoreError, type Store } from './storage/store.ts';
export type { StoredRecord, Records } from './storage/records.ts';
export type { StoredEvent, StreamLog, StreamLogs, StreamTail, StreamWriter } from './storage/stream-log.ts';
export type { RateDecision, Limits, RateLimit } from './storage/limits.ts';
export type { MaybePromise } from './storage/maybe-promise.ts';
export type { StoredTask, TaskClaim, TaskLease, TaskOwner, TaskStore } from './storage/tasks.ts';
export type { Bus, CountingBus, SubscriberCount, Unsubscribe } from './storage/bus.ts';
export {
  differences,
  linesOf,
  parseTranscripts,
  valueToSend,
  type Transcript,
  type TranscriptLine,
} from './testing/transcript.ts';
