/** The keys of `_meta` that the protocol defines, and the objects that carry them. */

import { clientCapabilitiesShape, coreTasks, type ClientCapabilities } from './capability.ts';
import {
  implementationShape,
  loggingLevel,
  progressToken,
  requestId,
  type Implementation,
  type ProgressToken,
  type RequestId,
} from './features/common.ts';
import { from } from './lifetime.ts';
import type { LoggingLevel } from './features/logging-level.ts';
import { metaKey } from './meta-key.ts';
import {
  between,
  optional,
  readApart,
  ref,
  requiredIn,
  shape,
  since,
  string,
  type Row,
  type ShapeOf,
} from './shape.ts';

export { metaKey } from './meta-key.ts';

const prefix = /^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const name = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * Tells whether text is a key of `_meta`: a name, or labels and a slash before it, such as `com.example/trace`. The
 * name may be empty. (Spec 2025-06-18, Base protocol, _meta.)
 */
export function isMetaKey(key: string): boolean {
  const slash = key.indexOf('/');
  const rest = key.slice(slash + 1);
  return (slash < 0 || prefix.test(key.slice(0, slash))) && (rest === '' || name.test(rest));
}

const own: ReadonlySet<string> = new Set(Object.values(metaKey));

/**
 * Tells whether a key lies under a prefix that belongs to MCP and is none that the protocol defines. The rule changed
 * once; what either reserves is told. (Spec 2025-06-18 and 2025-11-25, Base protocol, _meta.)
 */
export function isReservedMetaKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0 || own.has(key)) return false;
  const labels = key.slice(0, slash).split('.');
  return [labels[1], labels.at(-2)].some((label) => label === 'modelcontextprotocol' || label === 'mcp');
}

/**
 * Tells whether text identifies an extension: a key of `_meta` that has a prefix and a name. (Spec 2026-07-28,
 * Versioning.)
 */
export function isExtensionId(key: string): boolean {
  return isMetaKey(key) && key.includes('/') && !key.endsWith('/');
}

/** The task that a message belongs to. Within 2025-11-25. */
export interface RelatedTaskMetadata {
  /** The id of the task. */
  readonly taskId: string;
}

/** `_meta` of anything; keys with a prefix of the protocol's are reserved. */
export interface MetaObject {
  /** A value under a key with a prefix, such as `example.com/key`. */
  readonly [key: string]: unknown;
}

/** `_meta` of a request. */
export interface RequestMetaObject extends MetaObject {
  /** Asks for progress notifications that carry this token. */
  readonly progressToken?: ProgressToken;
  /** The revision of the request; required on the wire since 2026-07-28. */
  readonly 'io.modelcontextprotocol/protocolVersion'?: string;
  /** Since 2026-07-28. */
  readonly 'io.modelcontextprotocol/clientInfo'?: Implementation;
  /** Capabilities of the client, for this request; required on the wire since 2026-07-28. */
  readonly 'io.modelcontextprotocol/clientCapabilities'?: ClientCapabilities;
  /** Asks for log messages of at least this level. Since 2026-07-28. */
  readonly 'io.modelcontextprotocol/logLevel'?: LoggingLevel;
  /** Within 2025-11-25. */
  readonly 'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata;
}

/** `_meta` of a notification. */
export interface NotificationMetaObject extends MetaObject {
  /** The id of the `subscriptions/listen` request whose stream carries it. Since 2026-07-28. */
  readonly 'io.modelcontextprotocol/subscriptionId'?: RequestId;
  /** Within 2025-11-25. */
  readonly 'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata;
}

/** `_meta` of a result. */
export interface ResultMetaObject extends MetaObject {
  /** Name and version of the server that answered; for display only. Since 2026-07-28. */
  readonly 'io.modelcontextprotocol/serverInfo'?: Implementation;
  /** Within 2025-11-25. */
  readonly 'io.modelcontextprotocol/related-task'?: RelatedTaskMetadata;
}

export const relatedTaskMetadataShape: ShapeOf<RelatedTaskMetadata> = shape(
  'RelatedTaskMetadata',
  { taskId: string },
  coreTasks,
);

const relatedTask: Row<RelatedTaskMetadata, 'optional'> = between(
  '2025-11-25',
  '2026-07-28',
  optional(ref(relatedTaskMetadataShape)),
);

// A host reads what a request says of itself before its parameters: see `server/runtime/request-meta.ts`.
export const requestMetaShape: ShapeOf<RequestMetaObject> = shape('RequestMetaObject', {
  progressToken: optional(progressToken),
  'io.modelcontextprotocol/protocolVersion': readApart(since('2026-07-28', requiredIn(string, from('2026-07-28')))),
  'io.modelcontextprotocol/clientInfo': readApart(since('2026-07-28', optional(ref(implementationShape)))),
  'io.modelcontextprotocol/clientCapabilities': readApart(
    since('2026-07-28', requiredIn(ref(clientCapabilitiesShape), from('2026-07-28'))),
  ),
  'io.modelcontextprotocol/logLevel': readApart(since('2026-07-28', optional(loggingLevel))),
  'io.modelcontextprotocol/related-task': relatedTask,
});

export const notificationMetaShape: ShapeOf<NotificationMetaObject> = shape('NotificationMetaObject', {
  'io.modelcontextprotocol/subscriptionId': since('2026-07-28', optional(requestId)),
  'io.modelcontextprotocol/related-task': relatedTask,
});

export const resultMetaShape: ShapeOf<ResultMetaObject> = shape('ResultMetaObject', {
  'io.modelcontextprotocol/serverInfo': since('2026-07-28', optional(ref(implementationShape))),
  'io.modelcontextprotocol/related-task': relatedTask,
});
