/**
 * Bytes of UTF-8 per token, for estimates; exact counts need the tokenizer of each model. Bytes estimate better than
 * characters, because tokens of non-Latin scripts have fewer characters. All token estimates use these numbers.
 */
export const bytesPerToken = {
  /** The average, for text that no provider counted. */
  average: 4,
  /** Gives an upper bound of tokens: hardly any text has more than one token per three bytes. */
  min: 3,
  /** Gives a lower bound of tokens, for checks that must not reject a prompt that fits. */
  max: 8,
} as const

/** @param bytes of UTF-8 text. @returns tokens, rounded up, so that no text is free. */
export function estimateTokens(bytes: number, perToken: number = bytesPerToken.average): number {
  return Math.ceil(bytes / perToken)
}
