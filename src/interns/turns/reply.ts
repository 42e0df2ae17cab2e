import type { Now } from '#platform/core/clock.ts'
import { type ChunkNames, chunkWriter, type InternChunk } from '../contract/chunks.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { type Turn, timeoutMessage } from './chat-turn.ts'

const line = (chunk: InternChunk) => `data: ${JSON.stringify(chunk)}\n\n`

/** Creates the writer of a turn's reply. It converts the events of the turn to server-sent events, `[DONE]` last. */
export function replyWriter(
  { started }: Turn,
  names: ChunkNames,
  { now, idleTimeoutMs }: { now: Now; idleTimeoutMs: number },
) {
  const writer = chunkWriter(started, names, Math.floor(now() / 1000))
  return {
    opening: line(writer.roleChunk()),
    textOf(event: TurnEvent | 'timeout'): string {
      const chunks = event === 'timeout' ? writer.timeoutChunks(timeoutMessage(idleTimeoutMs)) : writer.chunksOf(event)
      return chunks.map(line).join('')
    },
    /** The end of a reply whose caller lost access. */
    failed: ({ code, message }: { code: number; message: string }) =>
      writer.accessLostChunks(code, message).map(line).join(''),
    closing: 'data: [DONE]\n\n',
  }
}
