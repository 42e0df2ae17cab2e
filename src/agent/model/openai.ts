import { retry } from '#platform/async/retry.ts'
import type { NewId } from '#platform/core/id.ts'
import { parseRetryAfter } from '#platform/net/retry-after.ts'
import { SseReader } from '#platform/net/sse.ts'
import { readBodyText } from '#platform/text/body-text.ts'
import { fetchMeteredUsage } from './metered-usage.ts'
import { type Model, ModelFault, type ModelRequest } from './model.ts'
import { createChunkFault, createConnectionFault, createStatusFault } from './openai-fault.ts'
import { toRequestBody } from './openai-request.ts'
import { type Chunk, ResponseAssembler } from './openai-response.ts'

export type OpenAiOptions = {
  /** Returns the base URL, such as `https://host/api/v1`, to which `/chat/completions` is appended. Called for each request. */
  baseUrl: () => string
  apiKey: string | undefined
  model: string
  newId: NewId
  /** The delays before the retries, in milliseconds. Tests set short ones. */
  backoffMs?: number[]
  /** Longest time without data from the service, before and within a response, in milliseconds. */
  idleTimeoutMs?: number
}

/** The longest delay before a retry, even if the service asks for a longer one. */
const maxWaitMs = 60_000
/** A model can think for minutes before the first byte, if its service sends no keep-alive comments. */
const defaultIdleTimeoutMs = 240_000
/** How much of an error response is read. */
const maxErrorBytes = 1024 * 1024

/** A model of any OpenAI-compatible service. Retries transient errors until the response has started. */
export function createOpenAiModel(options: OpenAiOptions): Model {
  const backoffMs = options.backoffMs ?? [500, 2_000, 5_000]
  const retryDelay = (failures: number, error: Error) => {
    const wait = backoffMs[failures - 1]
    if (wait === undefined || !(error instanceof ModelFault) || !error.retryable) return undefined
    // Between 75 % and 125 %, so that agents that failed together do not retry together.
    const jittered = wait * (0.75 + Math.random() / 2)
    return Math.min(error.retryAfterMs ?? jittered, maxWaitMs)
  }
  return async function* (request) {
    const start = async () => {
      const events = requestOnce(options, request)
      return { events, first: await events.next() }
    }
    const { events, first } = await retry(start, retryDelay, { signal: request.signal })
    try {
      if (!first.done) yield first.value
      yield* events
    } finally {
      await events.return()
    }
  }
}

async function* requestOnce(options: OpenAiOptions, request: ModelRequest) {
  const idleTimeout = createIdleTimeout(options.idleTimeoutMs ?? defaultIdleTimeoutMs, request.signal)
  const assembler = new ResponseAssembler(options.newId)
  let hasStarted = false
  let generationId: string | null = null
  const fetchUsage = () => fetchMeteredUsage(options, generationId, request.signal)
  try {
    const response = await post(options, request, idleTimeout.signal)
    generationId = response.headers.get('x-generation-id')
    for await (const data of eventData(response.body, idleTimeout.restart)) {
      // Read to the end, so that the connection can be reused.
      if (data === '[DONE]') continue
      const chunk = parseChunk(data)
      if (chunk.error) throw createChunkFault(chunk.error)
      for (const event of assembler.add(chunk)) {
        hasStarted = true
        yield event
      }
    }
    if (!assembler.hasFinishReason) throw new Error('it ended without a finish reason')
    yield assembler.complete(assembler.hasUsage ? undefined : await fetchUsage())
  } catch (error) {
    request.signal.throwIfAborted()
    const fault = error instanceof ModelFault ? error : createConnectionFault(error, hasStarted)
    if (hasStarted) fault.usage = await fetchUsage()
    throw fault
  } finally {
    idleTimeout.end()
  }
}

async function post(
  options: OpenAiOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<{ headers: Headers; body: AsyncIterable<Uint8Array> }> {
  const response = await fetch(`${options.baseUrl().replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
    },
    body: JSON.stringify(toRequestBody(options.model, request)),
    signal,
  })
  if (response.ok && response.body) return { headers: response.headers, body: response.body }
  const fault = createStatusFault(response.status, await readBodyText(response, maxErrorBytes))
  fault.retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
  throw fault
}

/** Yields the data of each event. Calls `onBytes` for all bytes, so that comments restart the idle timeout too. */
async function* eventData(bytes: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const reader = new SseReader()
  for await (const piece of bytes) {
    onBytes()
    for (const event of reader.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))) yield event.data
  }
  for (const event of reader.end()) yield event.data
}

function parseChunk(data: string): Chunk {
  try {
    return JSON.parse(data)
  } catch {
    throw new Error('it sent a chunk that is not JSON')
  }
}

/** Aborts after `ms` without a call of `restart`. */
function createIdleTimeout(ms: number, outer: AbortSignal) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`no data for ${Math.round(ms / 1000)} s`)), ms)
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    restart: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  }
}
