import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { delta, done, first } from './faulty-upstream.ts'

/** One request, and the amount that the provider will bill. */
export type BilledRequest = {
  body: any
  prompt: number
  completion: number
  /** Whether the client has left. */
  hasDisconnected: () => boolean
  write: (text: string) => void
  /** A whole answer, or the rest of a stream. */
  end: (text?: string) => void
  /** Closes the connection. */
  cut: () => void
  /** The usage as it is billed. */
  usage: () => object
}

/** The behaviour of a provider, by the name of the model. */
export type Trade = (sale: BilledRequest) => Promise<void> | void

/** A provider on a real socket that keeps account of every token it has read and generated. */
export type BillingUpstream = AsyncDisposable & {
  url: string
  sales: BilledRequest[]
  /** The bill in USD, by prices per million. */
  billed: (prices: { prompt: number; completion: number }) => number
  /** Waits until no request is in flight. */
  quiet: () => Promise<void>
}

/** The answer to a request for an earlier bill. */
export type BillAnswer = (path: string) => { status: number; body: object }

export async function startBillingUpstream(
  trades: Record<string, Trade>,
  billAnswer?: BillAnswer,
): Promise<BillingUpstream> {
  const sales: BilledRequest[] = []
  let inFlight = 0
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const { status, body } = billAnswer?.(request.url ?? '') ?? { status: 404, body: {} }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    inFlight++
    response.on('error', () => {})
    const sale = await saleOf(request, response)
    sales.push(sale)
    await trades[sale.body.model]?.(sale)
    inFlight--
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sales,
    billed: (prices) =>
      sales.reduce((sum, { prompt, completion }) => sum + prompt * prices.prompt + completion * prices.completion, 0) /
      1e6,
    async quiet() {
      while (inFlight > 0) await sleep(10)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function saleOf(request: IncomingMessage, response: ServerResponse): Promise<BilledRequest> {
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
  const sale: BilledRequest = {
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
    usage: () => ({ prompt_tokens: sale.prompt, completion_tokens: sale.completion }),
  }
  return sale
}

export const usageOf = (sale: BilledRequest, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [], usage: { ...sale.usage(), ...more } })}\n\n`

/** Reasons invisibly for nearly all of its tokens, writes a little, and reports the usage a moment after the end. */
export const thinker: Trade = async (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  sale.write(first + delta({ content: 'Well, yes.' }) + delta({}, 'stop'))
  await sleep(150)
  sale.end(usageOf(sale, { completion_tokens_details: { reasoning_tokens: sale.completion - 10 } }) + done)
}

/** Writes a letter, each a token, every two milliseconds for as long as the client is connected. */
export const speaker: Trade = async (sale) => {
  sale.prompt = 10
  sale.write(first)
  while (sale.completion < sale.body.max_tokens && !sale.hasDisconnected()) {
    sale.completion++
    sale.write(delta({ content: 'a' }))
    await sleep(2)
  }
  sale.end(delta({}, 'length') + usageOf(sale) + done)
}

const pacedTokensPerMs = 0.4
const pacedHidden = 100

/** Generates 400 tokens a second for as long as the client is connected. The first 100 are hidden reasoning. */
export const paced =
  (reports: boolean): Trade =>
  async (sale) => {
    sale.prompt = 10
    sale.write(first)
    const startedAt = performance.now()
    for (let visible = 0; sale.completion < sale.body.max_tokens && !sale.hasDisconnected(); await sleep(5)) {
      sale.completion = Math.min(sale.body.max_tokens, Math.floor((performance.now() - startedAt) * pacedTokensPerMs))
      for (; visible < sale.completion - pacedHidden; visible++) sale.write(delta({ content: 'a' }))
    }
    const details = { completion_tokens_details: { reasoning_tokens: Math.min(pacedHidden, sale.completion) } }
    sale.end(delta({}, 'length') + (reports ? usageOf(sale, details) : '') + done)
  }

/** Generates as much as allowed in any case, and answers after two seconds. */
export const brooder: Trade = async (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  for (let waited = 0; waited < 2000 && !sale.hasDisconnected(); waited += 20) await sleep(20)
  if (sale.body.stream) return sale.end(delta({ content: 'x' }) + delta({}, 'stop') + usageOf(sale) + done)
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  sale.end(JSON.stringify({ id: 'x', choices, usage: sale.usage() }))
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
export const reader: Trade = async (sale) => {
  sale.prompt = promptOf(sale.body)
  sale.completion = 1
  sale.write(first + delta({ content: 'a' }))
  for (let waited = 0; waited < 5000 && !sale.hasDisconnected(); waited += 5) await sleep(5)
  sale.end()
}

/** Reasons invisibly, writes a little and breaks off, or ends without usage. */
const breaking =
  (how: 'cut' | 'end'): Trade =>
  async (sale) => {
    sale.prompt = 10
    sale.completion = sale.body.max_tokens
    sale.write(first + delta({ content: 'a' }) + (how === 'end' ? delta({}, 'stop') : ''))
    await sleep(20)
    if (how === 'cut') sale.cut()
    else sale.end(done)
  }
export const cutting = breaking('cut')
export const silent = breaking('end')

/** Accepts the request, generates the whole answer, and closes the connection without an answer. */
export const dropping: Trade = (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  sale.cut()
}

/** Generates faster than the client reads. */
export const flooding: Trade = async (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  const piece = delta({ content: 'a' })
  sale.write(first + piece.repeat(sale.completion))
  for (let waited = 0; waited < 5000 && !sale.hasDisconnected(); waited += 20) await sleep(20)
  sale.end()
}

/** Reports usage that never occurred. */
export const lying: Trade = (sale) => {
  sale.prompt = 10
  sale.completion = 10
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 1e9, completion_tokens: 1e9 }
  sale.end(JSON.stringify({ id: 'x', choices, usage }))
}

/** Obeys the token limit and the number of answers under any name. */
export const obedient: Trade = (sale) => {
  const { body } = sale
  const limits = [body.max_tokens, body.num_predict, body.max_length, body.options?.num_predict]
  const counts = [body.n, body.num_return_sequences, body.candidate_count, body.generationConfig?.candidateCount]
  sale.prompt = 10
  sale.completion = Math.max(...limits.map((limit) => limit ?? 0)) * Math.max(...counts.map((count) => count ?? 1))
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  sale.end(JSON.stringify({ id: 'x', choices, usage: sale.usage() }))
}
