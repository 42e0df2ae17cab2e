import type { CompletionEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { isEndMark } from '../end-mark.ts'
import type { ResponseContext, StreamReader } from '../provider-protocol.ts'
import { ChoicesAssembler } from './choices-assembler.ts'
import type { UpstreamEvent } from './fragment.ts'

/** Reads the events of one upstream stream. Tool calls are still in fragments. */
type FragmentReader = (event: SseEvent) => UpstreamEvent[]

/** Wraps a stream reader, so that the fragments of tool calls are assembled. The end mark (`[DONE]`) completes the calls. */
export function assembleStreamCalls(
  createReader: (responseId?: string) => FragmentReader,
): (context?: ResponseContext) => StreamReader {
  return (context = {}) => {
    const read = createReader(context.responseId)
    const assembler = new ChoicesAssembler(context)
    return (event) => (isEndMark(event) ? assembler.finish() : assembler.push(read(event)))
  }
}

/** Wraps a reader of whole responses, so that the fragments of tool calls are assembled. */
export function assembleBodyCalls(
  read: (body: unknown, responseId?: string) => UpstreamEvent[],
): (body: unknown, context?: ResponseContext) => CompletionEvent[] {
  return (body, context = {}) => {
    const assembler = new ChoicesAssembler(context)
    const events = assembler.push(read(body, context.responseId))
    return [...events, ...assembler.finish()]
  }
}
