/** What a limit writes into a stream that it holds open. */

export const acknowledgement: string =
  'data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}\n\n';
export const event: string = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}\n\n';
