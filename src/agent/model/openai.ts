import { setTimeout as sleep } from 'node:timers/promises'
import type { NewId } from '#platform/core/id.ts'
import { SseReader } from '#platform/net/sse.ts'
import { bodyText } from '#platform/text/body-text.ts'
import { meteredUsage } from './metered.ts'
import { type Model, ModelFault, type ModelRequest } from './model.ts'
import { type Chunk, createAnswer } from './openai-answer.ts'
import { faultOfChunk, faultOfConnection, faultOfStatus } from './openai-fault.ts'
import { requestBody } from './openai-request.ts'

export type OpenAiOptions = {
  /** Such as `https://host/api/v1`; `/chat/completions` is added. Asked for each request. */
  baseUrl: () => string
  apiKey: string | undefined
  model: string
  newId: NewId
  /** The waits before each further try, in milliseconds. A test makes them short. */
  backoffMs?: number[]
  /** Longest silence of the service, before the answer and within. */
  silenceMs?: number
}

const longestWaitMs = 60_000
/** Of an answer that says no. */
const maxErrorBytes = 1024 * 1024

/** Any OpenAI-compatible service. As long as nothing of the answer has come, what may pass by itself is tried again. */
export function openAiModel(options: OpenAiOptions): Model {
  const backoffMs = options.backoffMs ?? [500, 2_000, 5_000]
  return async function* (request) {
    for (let attempt = 0; ; attempt++) {
      let begun = false
      try {
        for await (const event of answerOnce(options, request)) {
          begun = true
          yield event
        }
        return
      } catch (error) {
        request.signal.throwIfAborted()
        const wait = backoffMs[attempt]
        if (begun || wait === undefined || !(error instanceof ModelFault) || !error.retryable) throw error
        const jittered = wait * (0.75 + Math.random() / 2)
        await sleep(Math.min(retryAfter.get(error) ?? jittered, longestWaitMs), undefined, { signal: request.signal })
      }
    }
  }
}

/** The time that the service asked us to wait, in milliseconds. */
const retryAfter = new WeakMap<ModelFault, number>()

async function* answerOnce(options: OpenAiOptions, request: ModelRequest) {
  const silence = idleGuard(options.silenceMs ?? 240_000, request.signal)
  const answer = createAnswer(options.newId)
  let begun = false
  let generationId: string | null = null
  const metered = () => meteredUsage(options, generationId, request.signal)
  try {
    const response = await post(options, request, silence.signal)
    generationId = response.headers.get('x-generation-id')
    for await (const data of eventData(response.body, silence.heard)) {
      // Read on to the end: the connection then serves the next request too.
      if (data === '[DONE]') continue
      const chunk = parse(data)
      if (chunk.error) throw faultOfChunk(chunk.error)
      for (const event of answer.add(chunk)) {
        begun = true
        yield event
      }
    }
    if (!answer.finished()) throw new Error('it ended without a finish reason')
    yield answer.end(answer.hasUsage() ? undefined : await metered())
  } catch (error) {
    request.signal.throwIfAborted()
    const fault = error instanceof ModelFault ? error : faultOfConnection(error, begun)
    if (begun) fault.usage = await metered()
    throw fault
  } finally {
    silence.end()
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
    body: JSON.stringify(requestBody(options.model, request)),
    signal,
  })
  if (response.ok && response.body) return { headers: response.headers, body: response.body }
  const fault = faultOfStatus(response.status, await bodyText(response, maxErrorBytes))
  const wait = waitOf(response.headers.get('retry-after'))
  if (wait !== undefined) retryAfter.set(fault, wait)
  throw fault
}

/** `Retry-After` is seconds or a date. */
function waitOf(header: string | null): number | undefined {
  if (!header) return undefined
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** The data of each event; whatever came counts as a sign of life, comments too. */
async function* eventData(bytes: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const reader = new SseReader()
  for await (const piece of bytes) {
    heard()
    for (const event of reader.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))) yield event.data
  }
  for (const event of reader.end()) yield event.data
}

function parse(data: string): Chunk {
  try {
    return JSON.parse(data)
  } catch {
    throw new Error('it sent a chunk that is no JSON')
  }
}

/** Aborts when nothing was heard for `ms`. */
function idleGuard(ms: number, outer: AbortSignal) {
  const guard = new AbortController()
  const timer = setTimeout(() => guard.abort(new Error(`no word for ${Math.round(ms / 1000)} s`)), ms)
  return {
    signal: AbortSignal.any([outer, guard.signal]),
    heard: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  }
}
