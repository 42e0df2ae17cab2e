import type { SseEvent } from '#platform/net/sse.ts'

/** The event `[DONE]` that ends a stream. Readers also get this event at the end of a stream without an end mark. */
export const endMark: SseEvent = { event: undefined, data: '[DONE]', raw: Buffer.alloc(0) }

/** Whether an event is the end mark. Some servers and proxies write it in lower case, with quotes, or without brackets. */
export const isEndMark = ({ event, data }: SseEvent) =>
  endMarkPattern.test(data) || (event === 'done' && !data.includes('{'))

const endMarkPattern = /^\s*(?:\[DONE\]|"?\[?DONE\]?"?\s*$)/i
