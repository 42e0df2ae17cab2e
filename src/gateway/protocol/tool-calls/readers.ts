import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { ChoicesAssembler } from './choices-assembler.ts'
import type { UpstreamEvent } from './piece.ts'

/** A stream reader that returns assembled tool calls. The end mark completes them, also for protocols without one. */
export function assemblingReader(
  newReader: (answerId?: string) => (event: SseEvent) => UpstreamEvent[],
): (answerId?: string, answerLimit?: number, toolNames?: ReadonlySet<string>) => (event: SseEvent) => AnswerEvent[] {
  return (answerId, answerLimit, toolNames) => {
    const read = newReader(answerId)
    const calls = new ChoicesAssembler({ answerId, answerLimit, toolNames })
    return (event) => (isEndMark(event) ? calls.end() : calls.take(read(event)))
  }
}

/** Wraps a reader of whole answers, so that it assembles the pieces of tool calls. */
export function assemblingBodyReader(
  read: (body: unknown, answerId?: string) => UpstreamEvent[],
): (body: unknown, answerId?: string, answerLimit?: number, toolNames?: ReadonlySet<string>) => AnswerEvent[] {
  return (body, answerId, answerLimit, toolNames) => {
    const calls = new ChoicesAssembler({ answerId, answerLimit, toolNames })
    const events = calls.take(read(body, answerId))
    const last = calls.end()
    return last.length === 0 ? events : [...events, ...last]
  }
}

/** The event that ends a reader whose stream has no end mark. */
export const endMark: SseEvent = { event: undefined, data: '[DONE]', raw: Buffer.alloc(0) }

/** Some servers and proxies write the mark in lower case, with quotes, or without brackets. */
export const isEndMark = ({ event, data }: SseEvent) =>
  endMarkPattern.test(data) || (event === 'done' && !data.includes('{'))

const endMarkPattern = /^\s*(?:\[DONE\]|"?\[?DONE\]?"?\s*$)/i
