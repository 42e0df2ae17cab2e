import type { SseEvent } from '#platform/net/sse.ts'
import { isEndMark } from '../end-mark.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'
import { ChoicesAssembler } from './choices-assembler.ts'
import type { UpstreamEvent } from './piece.ts'

/** Wraps a reader of streams, so that it assembles the pieces of tool calls. The end mark completes the calls. */
export function assemblingReader(
  newReader: (answerId?: string) => (event: SseEvent) => UpstreamEvent[],
): ProviderProtocol['reader'] {
  return (context = {}) => {
    const read = newReader(context.answerId)
    const calls = new ChoicesAssembler(context)
    return (event) => (isEndMark(event) ? calls.end() : calls.take(read(event)))
  }
}

/** Wraps a reader of whole answers, so that it assembles the pieces of tool calls. */
export function assemblingBodyReader(
  read: (body: unknown, answerId?: string) => UpstreamEvent[],
): ProviderProtocol['readBody'] {
  return (body, context = {}) => {
    const calls = new ChoicesAssembler(context)
    const events = calls.take(read(body, context.answerId))
    const last = calls.end()
    return last.length === 0 ? events : [...events, ...last]
  }
}
