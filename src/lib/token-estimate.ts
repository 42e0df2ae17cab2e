/**
 * How many bytes of text make a token, for estimates: exact counts need the tokenizer of each model. Bytes tell more than
 * characters do: a token of another script has fewer characters. All estimates of text in tokens begin here.
 */
export const bytesPerToken = {
  /** For what no provider counted: neither too low nor too high on average. */
  usual: 4,
  /** Hardly any text has more tokens than one for three bytes: for an estimate that must not be too low. */
  fewest: 3,
  /** No text has fewer tokens on average: for an estimate that must not refuse a prompt that would fit. */
  most: 8,
} as const

/** @param bytes of UTF-8 text. @returns tokens, rounded up, so that no text is free. */
export function estimateTokens(bytes: number, perToken: number = bytesPerToken.usual): number {
  return Math.ceil(bytes / perToken)
}
