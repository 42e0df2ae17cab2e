import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deltaEvent, doneEvent, roleDelta } from './faulty-upstream.ts'

/** One request, and the amount that the provider will bill. */
export type BilledRequest = {
  body: any
  prompt: number
  completion: number
  /** Whether the client has left. */
  hasDisconnected: () => boolean
  write: (text: string) => void
  /** A whole response, or the rest of a stream. */
  end: (text?: string) => void
  /** Closes the connection. */
  cut: () => void
  /** The usage as it is billed. */
  usage: () => object
}

/** How a provider serves a request for one model. */
export type BillingBehaviour = (request: BilledRequest) => Promise<void> | void

/** A provider on a real socket that keeps account of every token it has read and generated. */
export type BillingUpstream = AsyncDisposable & {
  url: string
  requests: BilledRequest[]
  /** The bill in USD, by prices per million. */
  billedUsd: (prices: { prompt: number; completion: number }) => number
  /** Waits until no request is in flight. */
  waitUntilIdle: () => Promise<void>
}

/** The response to a request for an earlier bill. */
export type BillResponse = (path: string) => { status: number; body: object }

export async function startBillingUpstream(
  behaviours: Record<string, BillingBehaviour>,
  billResponse?: BillResponse,
): Promise<BillingUpstream> {
  const requests: BilledRequest[] = []
  let inFlight = 0
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const { status, body } = billResponse?.(request.url ?? '') ?? { status: 404, body: {} }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    inFlight++
    response.on('error', () => {})
    const billedRequest = await readBilledRequest(request, response)
    requests.push(billedRequest)
    await behaviours[billedRequest.body.model]?.(billedRequest)
    inFlight--
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    billedUsd: (prices) =>
      requests.reduce(
        (sum, { prompt, completion }) => sum + prompt * prices.prompt + completion * prices.completion,
        0,
      ) / 1e6,
    async waitUntilIdle() {
      while (inFlight > 0) await sleep(10)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readBilledRequest(request: IncomingMessage, response: ServerResponse): Promise<BilledRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  let hasDisconnected = false
  response.once('close', () => {
    hasDisconnected = true
  })
  const open = () => {
    const type = body.stream ? 'text/event-stream' : 'application/json'
    if (!response.headersSent) response.writeHead(200, { 'content-type': type })
  }
  const billedRequest: BilledRequest = {
    body,
    prompt: 0,
    completion: 0,
    hasDisconnected: () => hasDisconnected,
    write(text) {
      open()
      response.write(text)
    },
    end(text = '') {
      open()
      response.end(text)
    },
    cut: () => void response.destroy(),
    usage: () => ({ prompt_tokens: billedRequest.prompt, completion_tokens: billedRequest.completion }),
  }
  return billedRequest
}

export const usageOf = (request: BilledRequest, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [], usage: { ...request.usage(), ...more } })}\n\n`

/** Reasons invisibly for nearly all of its tokens, writes a little, and reports the usage a moment after the end. */
export const thinker: BillingBehaviour = async (request) => {
  request.prompt = 10
  request.completion = request.body.max_tokens
  request.write(roleDelta + deltaEvent({ content: 'Well, yes.' }) + deltaEvent({}, 'stop'))
  await sleep(150)
  request.end(
    usageOf(request, { completion_tokens_details: { reasoning_tokens: request.completion - 10 } }) + doneEvent,
  )
}

/** Writes a letter, each a token, every two milliseconds for as long as the client is connected. */
export const speaker: BillingBehaviour = async (request) => {
  request.prompt = 10
  request.write(roleDelta)
  while (request.completion < request.body.max_tokens && !request.hasDisconnected()) {
    request.completion++
    request.write(deltaEvent({ content: 'a' }))
    await sleep(2)
  }
  request.end(deltaEvent({}, 'length') + usageOf(request) + doneEvent)
}

const pacedTokensPerMs = 0.4
const pacedHidden = 100

/** Generates 400 tokens a second for as long as the client is connected. The first 100 are hidden reasoning. */
export const paced =
  (reports: boolean): BillingBehaviour =>
  async (request) => {
    request.prompt = 10
    request.write(roleDelta)
    const startedAt = performance.now()
    for (let visible = 0; request.completion < request.body.max_tokens && !request.hasDisconnected(); await sleep(5)) {
      request.completion = Math.min(
        request.body.max_tokens,
        Math.floor((performance.now() - startedAt) * pacedTokensPerMs),
      )
      for (; visible < request.completion - pacedHidden; visible++) request.write(deltaEvent({ content: 'a' }))
    }
    const details = { completion_tokens_details: { reasoning_tokens: Math.min(pacedHidden, request.completion) } }
    request.end(deltaEvent({}, 'length') + (reports ? usageOf(request, details) : '') + doneEvent)
  }

/** Generates as much as allowed in any case, and answers after two seconds. */
export const brooder: BillingBehaviour = async (request) => {
  request.prompt = 10
  request.completion = request.body.max_tokens
  for (let waited = 0; waited < 2000 && !request.hasDisconnected(); waited += 20) await sleep(20)
  if (request.body.stream)
    return request.end(deltaEvent({ content: 'x' }) + deltaEvent({}, 'stop') + usageOf(request) + doneEvent)
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  request.end(JSON.stringify({ id: 'x', choices, usage: request.usage() }))
}

/** Counts every picture as its pixels, and other data as half a token a byte: more than any tokenizer. */
function promptOf(body: object): number {
  let pictures = 0
  const text = JSON.stringify(body, (_name, value) => {
    if (typeof value !== 'string' || !value.startsWith('data:image/')) return value
    pictures++
    return ''
  })
  return pictures * 1300 + Math.floor(Buffer.byteLength(text) / 2)
}

/** Reads a long prompt, writes a letter, and continues only as long as the client is connected. */
export const reader: BillingBehaviour = async (request) => {
  request.prompt = promptOf(request.body)
  request.completion = 1
  request.write(roleDelta + deltaEvent({ content: 'a' }))
  for (let waited = 0; waited < 5000 && !request.hasDisconnected(); waited += 5) await sleep(5)
  request.end()
}

/** Reasons invisibly, writes a little and breaks off, or ends without usage. */
const breaking =
  (how: 'cut' | 'end'): BillingBehaviour =>
  async (request) => {
    request.prompt = 10
    request.completion = request.body.max_tokens
    request.write(roleDelta + deltaEvent({ content: 'a' }) + (how === 'end' ? deltaEvent({}, 'stop') : ''))
    await sleep(20)
    if (how === 'cut') request.cut()
    else request.end(doneEvent)
  }
export const cutting = breaking('cut')
export const silent = breaking('end')

/** Accepts the request, generates the whole response, and closes the connection without a response. */
export const dropping: BillingBehaviour = (request) => {
  request.prompt = 10
  request.completion = request.body.max_tokens
  request.cut()
}

/** Generates faster than the client reads. */
export const flooding: BillingBehaviour = async (request) => {
  request.prompt = 10
  request.completion = request.body.max_tokens
  const piece = deltaEvent({ content: 'a' })
  request.write(roleDelta + piece.repeat(request.completion))
  for (let waited = 0; waited < 5000 && !request.hasDisconnected(); waited += 20) await sleep(20)
  request.end()
}

/** Reports usage that never occurred. */
export const lying: BillingBehaviour = (request) => {
  request.prompt = 10
  request.completion = 10
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 1e9, completion_tokens: 1e9 }
  request.end(JSON.stringify({ id: 'x', choices, usage }))
}

/** Obeys the token limit and the number of responses under any name. */
export const obedient: BillingBehaviour = (request) => {
  const { body } = request
  const limits = [body.max_tokens, body.num_predict, body.max_length, body.options?.num_predict]
  const counts = [body.n, body.num_return_sequences, body.candidate_count, body.generationConfig?.candidateCount]
  request.prompt = 10
  request.completion = Math.max(...limits.map((limit) => limit ?? 0)) * Math.max(...counts.map((count) => count ?? 1))
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  request.end(JSON.stringify({ id: 'x', choices, usage: request.usage() }))
}
