/**
 * Bytes of text in a token, for estimates. Exact counts need the tokenizer of each model. Bytes are better than
 * characters: in other scripts a token has fewer characters. All estimates of tokens start here.
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
