/** Where the tables differ from the official schemas on purpose, each with its reason. */

/** Official types that the tables have under another name; a date narrows it to a revision. */
export const renamed: ReadonlyMap<string, string> = new Map([
  ['ResourceReference', 'ResourceTemplateReference'],
  ['2025-06-18 EnumSchema', 'LegacyTitledEnumSchema'],
  ['Result', 'EmptyResult'],
]);

/** Official types that have no row of their own. */
export const explained: ReadonlyMap<string, string> = new Map([
  ['JSONRPCError', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCErrorResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCMessage', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCNotification', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCRequest', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCBatchRequest', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['JSONRPCBatchResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['CallToolResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['CompleteResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['DiscoverResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['GetPromptResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['ListPromptsResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['ListResourceTemplatesResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['ListResourcesResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['ListToolsResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['ReadResourceResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['SubscriptionsListenResultResponse', 'framing: packages/parley/src/jsonrpc/message.ts'],
  ['Error', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['HeaderMismatchError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['InternalError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['InvalidParamsError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['InvalidRequestError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['MethodNotFoundError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['MissingRequiredClientCapabilityError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['ParseError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['URLElicitationRequiredError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['UnsupportedProtocolVersionError', 'the error object and its codes: packages/parley/src/protocol/error.ts'],
  ['ClientNotification', 'a list of methods by direction, compared for each method'],
  ['ClientRequest', 'a list of methods by direction, compared for each method'],
  ['ServerNotification', 'a list of methods by direction, compared for each method'],
  ['ServerRequest', 'a list of methods by direction, compared for each method'],
  ['ClientResult', 'a list of results, each compared by its name'],
  ['ServerResult', 'a list of results, each compared by its name'],
  ['Annotated', 'a base whose fields are compared in every type that has them'],
  ['BaseMetadata', 'a base whose fields are compared in every type that has them'],
  ['CacheableResult', 'a base whose fields are compared in every type that has them'],
  ['Icons', 'a base whose fields are compared in every type that has them'],
  ['Notification', 'a base whose fields are compared in every type that has them'],
  ['PaginatedRequest', 'a base whose fields are compared in every type that has them'],
  ['PaginatedResult', 'a base whose fields are compared in every type that has them'],
  ['Request', 'a base whose fields are compared in every type that has them'],
  ['ResourceContents', 'a base whose fields are compared in every type that has them'],
  ['ResourceRequestParams', 'a base whose fields are compared in every type that has them'],
  ['TaskAugmentedRequestParams', 'a base whose fields are compared in every type that has them'],
  ['MultiSelectEnumSchema', 'a union inside PrimitiveSchemaDefinition, laid open there'],
  ['2025-11-25 EnumSchema', 'a union inside PrimitiveSchemaDefinition, laid open there'],
  ['2026-07-28 EnumSchema', 'a union inside PrimitiveSchemaDefinition, laid open there'],
  ['SingleSelectEnumSchema', 'a union inside PrimitiveSchemaDefinition, laid open there'],
  ['JSONValue', 'any JSON value or object: the kinds `any` and `object`'],
  ['JSONObject', 'any JSON value or object: the kinds `any` and `object`'],
  ['JSONArray', 'any JSON value or object: the kinds `any` and `object`'],
  ['MetaObject', 'any JSON value or object: the kinds `any` and `object`'],
]);

const tasksExtension = 'the tasks extension, which has a schema of its own';

/** Types that live without being in the official schema of a revision. */
export const extensionTypes: ReadonlyMap<string, string> = new Map([
  ['2026-07-28 CancelTaskRequestParams', tasksExtension],
  ['2026-07-28 CancelTaskResult', tasksExtension],
  ['2026-07-28 CreateTaskResult', tasksExtension],
  ['2026-07-28 DetailedTask', tasksExtension],
  ['2026-07-28 GetTaskRequestParams', tasksExtension],
  ['2026-07-28 GetTaskResult', tasksExtension],
  ['2026-07-28 Task', tasksExtension],
  ['2026-07-28 TaskError', tasksExtension],
  ['2026-07-28 TaskNotificationParams', tasksExtension],
  ['2026-07-28 UpdateTaskRequestParams', tasksExtension],
  ['2025-06-18 ToolOutputSchema', 'an object schema there: ToolInputSchema'],
  ['2025-11-25 ToolOutputSchema', 'an object schema there: ToolInputSchema'],
]);

const keywords = 'a keyword of JSON Schema, legal in every revision';
const inProse = 'the page on tasks defines the key, the schema leaves it open';
const openParams =
  '`_meta` is legal in all parameters, which the schema of 2025-11-25 forgets where it writes them inline';
const legacyFirst = 'with `enum` alone it is the same as LegacyTitledEnumSchema, which stands for both';
const numbers = 'schema.ts says number, and schema.json is generated wrongly';

/** Differences in a type that both sides have; a date narrows one to a revision. */
export const allowed: ReadonlyMap<string, string> = new Map([
  ['ToolInputSchema.$schema is not in the official schema', keywords],
  ['2026-07-28 ToolInputSchema.properties is not in the official schema', keywords],
  ['2026-07-28 ToolInputSchema.required is not in the official schema', keywords],
  ['ElicitResult.content{} is officially also integer', numbers],
  ['ElicitResult.content{} is officially never number', numbers],
  ['2025-11-25 RequestMetaObject.io.modelcontextprotocol/related-task is not in the official schema', inProse],
  ['2025-11-25 ResultMetaObject.io.modelcontextprotocol/related-task is not in the official schema', inProse],
  ['2025-11-25 NotificationMetaObject.io.modelcontextprotocol/related-task is not in the official schema', inProse],
  ['2025-11-25 CancelTaskRequestParams._meta is not in the official schema', openParams],
  ['2025-11-25 GetTaskPayloadRequestParams._meta is not in the official schema', openParams],
  ['2025-11-25 GetTaskRequestParams._meta is not in the official schema', openParams],
  ['2025-11-25 ElicitationCompleteNotificationParams._meta is not in the official schema', openParams],
  ['RequestedSchema.properties{} is officially also UntitledSingleSelectEnumSchema', legacyFirst],
  ['PrimitiveSchemaDefinition is officially also UntitledSingleSelectEnumSchema', legacyFirst],
  [
    '2025-11-25 roots/list has the parameters RequestParams, and not ListRootsRequestParams',
    'embedded, it has others in 2026-07-28',
  ],
  [
    '2026-07-28 InputRequiredResult.resultType is officially never input_required',
    'the schema says string, the text names the value',
  ],
  ['2026-07-28 SubscriptionFilter.taskIds is not in the official schema', tasksExtension],
  ...[
    'Tool',
    'Resource',
    'ResourceTemplate',
    'TextResourceContents',
    'BlobResourceContents',
    'Prompt',
    'TextContent',
    'ImageContent',
    'AudioContent',
    'EmbeddedResource',
    'Root',
  ].map((type): [string, string] => [
    `${type}._meta is not in the official schema`,
    'MCP Apps puts the page of a tool there in every revision, whose data types are open',
  ]),
  ...['ClientCapabilities', 'ServerCapabilities'].map((type): [string, string] => [
    `${type}.extensions is not in the official schema`,
    'SEP-2133 declares extensions in `initialize` of every revision, whose capabilities are an open set',
  ]),
]);
