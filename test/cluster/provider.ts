import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export const usdOfToken = 0.001

/** A provider that records what it served, also for clients that have disconnected. */
export type Provider = AsyncDisposable & {
  url: string
  /** Tokens generated, by the request's own name. */
  served: Map<string, number>
  billedUsd: () => number
}

type Asked = { model: string; stream?: boolean; max_tokens?: number; messages: { content: string }[] }

/** A request says `name tokens ms`: who it is, how many tokens it wants and how long they take. */
export async function startProvider(host: string): Promise<Provider> {
  const served = new Map<string, number>()
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const requestBody = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked
    const [name = '', requestedTokens = '1', ms = '0'] = requestBody.messages.at(-1)!.content.split(' ')
    const tokens = Math.min(Number(requestedTokens), requestBody.max_tokens ?? Number.POSITIVE_INFINITY)
    const bill = () => served.set(name, (served.get(name) ?? 0) + 1)
    if (requestBody.stream) await respondStreamed(response, name, tokens, Number(ms), bill)
    else await respondWhole(response, name, tokens, Number(ms), bill)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address() as { port: number }
  return {
    url: `http://${host}:${address.port}/v1`,
    served,
    billedUsd: () => [...served.values()].reduce((sum, tokens) => sum + tokens, 0) * usdOfToken,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const usageOf = (tokens: number) => ({ prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 })

/** A whole response is generated, and billed, to its end. */
async function respondWhole(response: ServerResponse, name: string, tokens: number, ms: number, bill: () => void) {
  for (let at = 0; at < tokens; at++) bill()
  if (ms > 0) await sleep(ms)
  const message = { role: 'assistant', content: 'word '.repeat(tokens) }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      id: `chatcmpl-${name}`,
      object: 'chat.completion',
      created: 1,
      model: 'steady',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: usageOf(tokens),
    }),
  )
}

/** A stream is billed token by token, until its reader leaves. */
async function respondStreamed(response: ServerResponse, name: string, tokens: number, ms: number, bill: () => void) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (body: object) =>
    response.write(
      `data: ${JSON.stringify({ id: `chatcmpl-${name}`, object: 'chat.completion.chunk', created: 1, model: 'steady', ...body })}\n\n`,
    )
  const delta = (delta: object, finish_reason: string | null = null) =>
    say({ choices: [{ index: 0, delta, finish_reason }] })
  for (let at = 0; at < tokens && !response.destroyed; at++) {
    bill()
    delta({ role: 'assistant', content: 'word ' })
    await sleep(ms / tokens)
  }
  if (response.destroyed) return
  delta({}, 'stop')
  say({ choices: [], usage: usageOf(tokens) })
  response.end('data: [DONE]\n\n')
}
