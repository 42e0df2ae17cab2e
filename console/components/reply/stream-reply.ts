import { callRaw } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { ChatRequest } from '../../api/types.ts'
import { appendChunk, type Chunk, emptyReply, finishReply, type Reply, reasonIn } from './reply.ts'
import { readChunks, readEventData } from './sse.ts'

const renderIntervalMs = 60

/** Sends a chat request and shows the reply as it arrives. Failures and cancellation are states of the reply. */
export async function streamReply(
  body: ChatRequest,
  signal: AbortSignal,
  onReply: (reply: Reply) => void,
): Promise<void> {
  const started = performance.now()
  const elapsedMs = () => performance.now() - started
  let reply = emptyReply
  let timer: number | undefined
  const showReply = () => {
    timer = undefined
    onReply(reply)
  }
  try {
    const response = await callRaw('POST /chat/completions', { body }, { signal })
    reply = { ...reply, generationId: response.headers.get('x-generation-id') ?? undefined }
    for await (const data of readEventData(readChunks(response.body!))) {
      reply = appendChunk(reply, JSON.parse(data) as Chunk, elapsedMs())
      timer ??= window.setTimeout(showReply, renderIntervalMs)
    }
    clearTimeout(timer)
    onReply(finishReply(reply, elapsedMs()))
  } catch (error) {
    clearTimeout(timer)
    const { message, requestId, metadata } = asFailure(error)
    const finalState = signal.aborted
      ? { state: 'stopped' as const }
      : { state: 'failed' as const, failure: { message, reason: reasonIn(metadata), requestId } }
    onReply({ ...reply, ...finalState, totalMs: elapsedMs() })
  }
}
