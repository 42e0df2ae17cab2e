/** The token ids of an input of embeddings, as a part of a message. A tokenizer has read the text before the request. */
type TokenIdsPart = { type: 'token_ids'; token_ids: readonly number[] }

export const tokenIdsPart = (token_ids: readonly number[]): TokenIdsPart => ({ type: 'token_ids', token_ids })

/** The token ids of a part; undefined for other parts. */
export function tokenIdsOf(part: { type: string; [name: string]: unknown }): readonly number[] | undefined {
  return part.type === 'token_ids' && Array.isArray(part.token_ids) ? part.token_ids : undefined
}

/** Whether a request contains token ids, which no content filter can read. */
export function hasTokenIds(request: object): boolean {
  const { messages } = request as { messages?: unknown }
  if (!Array.isArray(messages)) return false
  return messages.some(
    (message: { content?: unknown } | null) =>
      Array.isArray(message?.content) && message.content.some((part) => part?.type === 'token_ids'),
  )
}
