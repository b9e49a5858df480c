import type { TransportFacts } from './transport.ts';

/** The facts of HTTP, where each message is a POST with headers of its own. */
export const httpFacts: Omit<TransportFacts, 'description'> = {
  network: 'tcp',
  protocol: 'http',
  carriesHeaders: true,
  cancelsByClosing: true,
  mayLoseTheProbe: false,
};

/** The facts of a transport with what holds where it says nothing. */
export interface SettledFacts extends TransportFacts {
  readonly network: string | undefined;
  readonly protocol: string | undefined;
  readonly address: string | undefined;
  readonly carriesHeaders: boolean;
  readonly cancelsByClosing: boolean;
  readonly mayLoseTheProbe: boolean;
  readonly ownsProcess: boolean;
  /** True when it sees to its authorization itself, as by a login. */
  readonly signsIn: boolean;
}

/** The facts of a transport by themselves; who wraps a transport passes them on. */
export function factsOf(transport: TransportFacts): SettledFacts {
  const { description, address, network, protocol, carriesHeaders, cancelsByClosing, mayLoseTheProbe, ownsProcess } =
    transport;
  return {
    description,
    address,
    network,
    protocol,
    carriesHeaders: carriesHeaders ?? false,
    cancelsByClosing: cancelsByClosing ?? false,
    mayLoseTheProbe: mayLoseTheProbe ?? true,
    ownsProcess: ownsProcess ?? false,
    signsIn: transport.authorization !== undefined,
  };
}
