/** The keys of `_meta`, by themselves: who needs no more than those gets no more. */

/** The `_meta` keys of the protocol. */
export const metaKey: {
  readonly protocolVersion: 'io.modelcontextprotocol/protocolVersion';
  readonly clientInfo: 'io.modelcontextprotocol/clientInfo';
  readonly clientCapabilities: 'io.modelcontextprotocol/clientCapabilities';
  readonly logLevel: 'io.modelcontextprotocol/logLevel';
  readonly serverInfo: 'io.modelcontextprotocol/serverInfo';
  readonly subscriptionId: 'io.modelcontextprotocol/subscriptionId';
  readonly relatedTask: 'io.modelcontextprotocol/related-task';
  readonly modelImmediateResponse: 'io.modelcontextprotocol/model-immediate-response';
} = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  relatedTask: 'io.modelcontextprotocol/related-task',
  modelImmediateResponse: 'io.modelcontextprotocol/model-immediate-response',
};
