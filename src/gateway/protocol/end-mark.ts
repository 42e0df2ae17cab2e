import type { SseEvent } from '#platform/net/sse.ts'

/** The event that ends a stream. Readers also get it at the end of a stream that has none. */
export const endMark: SseEvent = { event: undefined, data: '[DONE]', raw: Buffer.alloc(0) }

/** Some servers and proxies write the mark in lower case, with quotes, or without brackets. */
export const isEndMark = ({ event, data }: SseEvent) =>
  endMarkPattern.test(data) || (event === 'done' && !data.includes('{'))

const endMarkPattern = /^\s*(?:\[DONE\]|"?\[?DONE\]?"?\s*$)/i
