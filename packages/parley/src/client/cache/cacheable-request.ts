import type { JsonObject } from '../../protocol/features/common.ts';
import type { ClientRequestOptions } from '../api/client.ts';
import type { TaskSending } from '../connection/server-connection.ts';
import type { CacheableRequest, CacheMode } from './cache.ts';

/** The options of one page of a list. */
export interface PageOptions extends ClientRequestOptions {
  /** The cache's stamp of the list when its first page was requested. */
  readonly stamp?: number | undefined;
  /** Marks of a request that has to do with a task. */
  readonly task?: TaskSending | undefined;
  /** True if it passed through middleware already, or is part of a request that did. */
  readonly passed?: boolean | undefined;
  /** Continues with a result that is not the last one. */
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

/**
 * The cache covers requests that differ only in their parameters and requester. A request with other differences
 * bypasses it.
 */
function cacheModeOf({ cache = 'bypass', meta, headers, progressToken }: PageOptions): CacheMode {
  const own = meta ?? headers ?? progressToken;
  return own === undefined ? cache : 'bypass';
}

/** The client that a request speaks for, if that is not the client itself. */
function variantOf({ clientInfo, capabilities }: PageOptions): JsonObject | undefined {
  return clientInfo === undefined && capabilities === undefined ? undefined : { clientInfo, capabilities };
}

/**
 * Text that requests must have in common to share one exchange: their time limits. A request with a progress listener
 * shares none.
 */
function sharingOf({ timeoutMs, maxTotalTimeoutMs, logLevel, onProgress }: PageOptions): string | undefined {
  return onProgress === undefined ? JSON.stringify([timeoutMs, maxTotalTimeoutMs, logLevel]) : undefined;
}
