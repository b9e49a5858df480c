import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import { excerptOf } from '../../harness/harness.ts';
import { errorCodeIn, type RawExchange } from '../../harness/exchange.ts';
import { breaks, holds, notJudged, type RuleVerdict } from '../../harness/verdict.ts';

/** Refusal that a rule wants: any one part may be left open. */
export interface WantedRefusal {
  readonly code?: number;
  /** Over HTTP alone. */
  readonly status?: number;
  /** The rule that says already that it was served: one cause is one finding. */
  readonly follows?: string;
}

/** Judges whether an exchange refused as it should. */
export function refusedWith(exchange: RawExchange, wanted: WantedRefusal): RuleVerdict {
  const served = exchange.messages.flat().some((one) => isResponse(one) && isObject(one['result']));
  if (served)
    return wanted.follows === undefined
      ? breaks(
          exchange,
          isToolError(exchange) ? 'it got a result with isError, and no error of the protocol' : 'it was served',
        )
      : notJudged(`it was served: see ${wanted.follows}`);
  const { status } = exchange;
  // Who says nothing at all does not say why.
  if (status === undefined && exchange.messages.length === 0 && wanted.code === undefined)
    return notJudged(`it was not answered: ${excerptOf(exchange)}`);
  if (wanted.status !== undefined && status !== undefined && status !== wanted.status)
    return breaks(exchange, `HTTP ${status}, and not ${wanted.status}`);
  if (wanted.code === undefined) return holds;
  const code = errorCodeIn(exchange);
  if (code === wanted.code) return holds;
  if (code === -32021) return notJudged('it wants a capability that the client did not declare');
  if (code !== undefined && !Number.isInteger(code)) return notJudged('the code is no integer: see basic-015');
  if (code !== undefined)
    return breaks(exchange, `the error has the code ${JSON.stringify(code)}, and not ${wanted.code}`);
  return breaks(
    exchange,
    exchange.end === 'silent' ? 'it was not answered' : `there is no error with the code ${wanted.code}`,
  );
}

function isToolError({ messages }: RawExchange): boolean {
  return messages.flat().some((one) => isResponse(one) && isObject(one['result']) && one['result']['isError'] === true);
}

/** The data of the only error that came. */
export function errorDataIn({ messages }: RawExchange): Readonly<Record<string, unknown>> | undefined {
  for (const message of messages.flat())
    if (isObject(message) && isObject(message['error']) && isObject(message['error']['data']))
      return message['error']['data'];
  return undefined;
}
