import type { Now } from '#platform/core/clock.ts'
import { type ChunkNames, ChunkWriter, type InternChunk } from '../contract/chunks.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { describeTimeout, type Turn } from './chat-turn.ts'

const toEventLine = (chunk: InternChunk) => `data: ${JSON.stringify(chunk)}\n\n`

/** Creates the writer of a turn's reply, which converts the events of the turn to server-sent events. `[DONE]` comes last. */
export function createReplyWriter(
  { startedEvent }: Turn,
  names: ChunkNames,
  { now, idleTimeoutMs }: { now: Now; idleTimeoutMs: number },
) {
  const writer = new ChunkWriter(startedEvent, names, Math.floor(now() / 1000))
  return {
    opening: toEventLine(writer.roleChunk()),
    textOf(event: TurnEvent | 'timeout'): string {
      const chunks = event === 'timeout' ? writer.timeoutChunks(describeTimeout(idleTimeoutMs)) : writer.chunksOf(event)
      return chunks.map(toEventLine).join('')
    },
    /** The end of a reply whose caller lost access. */
    accessLost: ({ code, message }: { code: number; message: string }) =>
      writer.accessLostChunks(code, message).map(toEventLine).join(''),
    closing: 'data: [DONE]\n\n',
  }
}
