import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { delta, done, first } from './faulty-upstream.ts'

/** One request, and what the provider will ask money for. */
export type Sale = {
  body: any
  prompt: number
  completion: number
  /** Whether whoever asked has gone. */
  gone: () => boolean
  write: (text: string) => void
  /** A whole answer, or what is left of a stream. */
  end: (text?: string) => void
  /** The usage as it is billed. */
  usage: () => object
}

/** What a provider does with a request of the model that is named like it. */
export type Trade = (sale: Sale) => Promise<void> | void

/** A provider on a real socket that keeps account of every token it has truly read and generated. */
export type BillingUpstream = AsyncDisposable & {
  url: string
  sales: Sale[]
  /** In USD, by prices per million. */
  billed: (prices: { prompt: number; completion: number }) => number
  /** Waits until no request is under way. */
  quiet: () => Promise<void>
}

export async function startBillingUpstream(trades: Record<string, Trade>): Promise<BillingUpstream> {
  const sales: Sale[] = []
  let underWay = 0
  const server = createServer(async (request, response) => {
    underWay++
    response.on('error', () => {})
    const sale = await saleOf(request, response)
    sales.push(sale)
    await trades[sale.body.model]?.(sale)
    underWay--
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sales,
    billed: (prices) =>
      sales.reduce((sum, { prompt, completion }) => sum + prompt * prices.prompt + completion * prices.completion, 0) /
      1e6,
    async quiet() {
      while (underWay > 0) await sleep(10)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function saleOf(request: IncomingMessage, response: ServerResponse): Promise<Sale> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  let gone = false
  response.once('close', () => {
    gone = true
  })
  const open = () => {
    const type = body.stream ? 'text/event-stream' : 'application/json'
    if (!response.headersSent) response.writeHead(200, { 'content-type': type })
  }
  const sale: Sale = {
    body,
    prompt: 0,
    completion: 0,
    gone: () => gone,
    write(text) {
      open()
      response.write(text)
    },
    end(text = '') {
      open()
      response.end(text)
    },
    usage: () => ({ prompt_tokens: sale.prompt, completion_tokens: sale.completion }),
  }
  return sale
}

export const usageOf = (sale: Sale, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', choices: [], usage: { ...sale.usage(), ...more } })}\n\n`

/** Thinks unseen for nearly all of its tokens, says a little, and tells the usage a moment after the end. */
export const thinker: Trade = async (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  sale.write(first + delta({ content: 'Well, yes.' }) + delta({}, 'stop'))
  await sleep(150)
  sale.end(usageOf(sale, { completion_tokens_details: { reasoning_tokens: sale.completion - 10 } }) + done)
}

/** Says a letter, each a token, every two milliseconds for as long as somebody listens. */
export const speaker: Trade = async (sale) => {
  sale.prompt = 10
  sale.write(first)
  while (sale.completion < sale.body.max_tokens && !sale.gone()) {
    sale.completion++
    sale.write(delta({ content: 'a' }))
    await sleep(2)
  }
  sale.end(delta({}, 'length') + usageOf(sale) + done)
}

/** Generates all that it may, whatever happens, and answers after two seconds. */
export const brooder: Trade = async (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  for (let waited = 0; waited < 2000 && !sale.gone(); waited += 20) await sleep(20)
  if (sale.body.stream) return sale.end(delta({ content: 'x' }) + delta({}, 'stop') + usageOf(sale) + done)
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
  sale.end(JSON.stringify({ id: 'x', choices, usage: sale.usage() }))
}
