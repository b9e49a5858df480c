import type { JsonObject } from '../../protocol/features/common.ts';
import type { ClientRequestOptions } from '../client.ts';
import type { TaskSending } from '../connection/server-connection.ts';
import type { CacheableRequest, CacheMode } from './cache.ts';

/** The options of one page of a list. */
export interface PageOptions extends ClientRequestOptions {
  /** Generation of the list when its first page was asked for, as the cache said. */
  readonly stamp?: number | undefined;
  /** Marks of a request that has to do with a task. */
  readonly task?: TaskSending | undefined;
  /** True when it passed middleware already, or is a part of what did. */
  readonly passed?: boolean | undefined;
  /** Goes on with a result that is not the last one. */
  readonly finish?:
    | ((params: JsonObject | undefined, result: JsonObject, options: PageOptions) => Promise<JsonObject>)
    | undefined;
}

/** A request as the cache sees it. */
export function cacheableRequest(
  method: string,
  params: JsonObject | undefined,
  options: PageOptions,
): CacheableRequest {
  const { stamp, signal } = options;
  return {
    method,
    params,
    mode: cacheModeOf(options),
    variant: variantOf(options),
    stamp,
    sharing: sharingOf(options),
    signal,
  };
}

/** A request that differs in more than its parameters and who asks is not one of those that were kept. */
function cacheModeOf({ cache = 'bypass', meta, headers, progressToken }: PageOptions): CacheMode {
  const own = meta ?? headers ?? progressToken;
  return own === undefined ? cache : 'bypass';
}

/** Client that a request speaks for, where that is not the client itself. */
function variantOf({ clientInfo, capabilities }: PageOptions): JsonObject | undefined {
  return clientInfo === undefined && capabilities === undefined ? undefined : { clientInfo, capabilities };
}

/** Text that requests must have in common to share one exchange: its time limits, and nobody who follows it. */
function sharingOf({ timeoutMs, maxTotalTimeoutMs, logLevel, onProgress }: PageOptions): string | undefined {
  return onProgress === undefined ? JSON.stringify([timeoutMs, maxTotalTimeoutMs, logLevel]) : undefined;
}
