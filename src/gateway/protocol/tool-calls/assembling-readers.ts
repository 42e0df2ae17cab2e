import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { isEndMark } from '../end-mark.ts'
import type { AnswerContext, StreamReader } from '../provider-protocol.ts'
import { ChoicesAssembler } from './choices-assembler.ts'
import type { UpstreamEvent } from './fragment.ts'

/** Reads the events of one upstream stream. Tool calls are still in fragments. */
type FragmentReader = (event: SseEvent) => UpstreamEvent[]

/** Wraps a stream reader, so that the fragments of tool calls are assembled. The end mark (`[DONE]`) completes the calls. */
export function assembleStreamCalls(
  createReader: (answerId?: string) => FragmentReader,
): (context?: AnswerContext) => StreamReader {
  return (context = {}) => {
    const read = createReader(context.answerId)
    const assembler = new ChoicesAssembler(context)
    return (event) => (isEndMark(event) ? assembler.finish() : assembler.push(read(event)))
  }
}

/** Wraps a reader of whole answers, so that the fragments of tool calls are assembled. */
export function assembleBodyCalls(
  read: (body: unknown, answerId?: string) => UpstreamEvent[],
): (body: unknown, context?: AnswerContext) => AnswerEvent[] {
  return (body, context = {}) => {
    const assembler = new ChoicesAssembler(context)
    const events = assembler.push(read(body, context.answerId))
    return [...events, ...assembler.finish()]
  }
}
