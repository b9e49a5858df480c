/** `multipleOf`, in decimal arithmetic: 19.99 is a multiple of 0.01, though no binary fraction is either. */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value) || !Number.isFinite(step)) return false;
  const [one, other] = [decimalOf(value), decimalOf(step)];
  const least = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent }: Decimal): bigint => digits * 10n ** BigInt(exponent - least);
  return scaled(one) % scaled(other) === 0n;
}

/** A number as its shortest decimal spelling has it. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
