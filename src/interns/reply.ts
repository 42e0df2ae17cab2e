import type { Now } from '#lib/clock.ts'
import { type ChunkNames, chunkWriter, type InternChunk } from './chunks.ts'
import { type Turn, timeoutMessage } from './converse.ts'

const line = (chunk: InternChunk) => `data: ${JSON.stringify(chunk)}\n\n`

/** A turn as the server-sent events of its reply, `[DONE]` last. */
export async function* replyEvents(
  { started, events }: Turn,
  names: ChunkNames,
  { now, budgetMs }: { now: Now; budgetMs: number },
): AsyncGenerator<string, void> {
  const writer = chunkWriter(started, names, Math.floor(now() / 1000))
  yield line(writer.first())
  for await (const event of events) {
    const chunks = event === 'timeout' ? writer.timedOut(timeoutMessage(budgetMs)) : writer.of(event)
    if (chunks.length > 0) yield chunks.map(line).join('')
  }
  yield 'data: [DONE]\n\n'
}
