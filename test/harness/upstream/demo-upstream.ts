import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Providers on one real socket, named by the first part of the path. They answer word by word; `busy` answers every request with 429. */
export type DemoUpstream = AsyncDisposable & {
  url: string
  /** The last request. */
  lastRequest: () => any
}

const defaultContent =
  'The third: DE811907980 lacks a digit. The others are whole, and their check digits are right. Shall I write to the supplier?'

type ResponseOptions = {
  /** The delay between two words of each provider. */
  paceMs?: (provider: string) => number
  /** The text of each response. */
  content?: string
}

export async function startDemoUpstream({
  paceMs: paceOf = () => 4,
  content = defaultContent,
}: ResponseOptions = {}): Promise<DemoUpstream> {
  let lastRequest: unknown
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    lastRequest = body
    const paceMs = paceOf(request.url?.split('/')[1] ?? '')
    await sleep(paceMs * 3)
    if (request.url?.startsWith('/busy/')) return refuse(response)
    const prompt = Math.ceil(JSON.stringify(body.messages).length / 4)
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: content.split(' ').length,
      total_tokens: prompt + content.split(' ').length,
      prompt_tokens_details: { cached_tokens: prompt > 500 ? Math.floor(prompt * 0.8) : 0 },
    }
    if (body.stream) await streamWords(response, body.model, usage, content, paceMs)
    else sendResponse(response, body.model, usage, content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lastRequest: () => lastRequest,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function refuse(response: ServerResponse) {
  response.writeHead(429, { 'content-type': 'application/json' })
  response.end('{"error":{"message":"Too many requests. Slow down.","code":429}}')
}

function sendResponse(response: ServerResponse, model: string, usage: object, content: string) {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage }))
}

async function streamWords(response: ServerResponse, model: string, usage: object, content: string, paceMs: number) {
  const send = (fields: object) =>
    response.write(
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, ...fields })}\n\n`,
    )
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const word of content.split(' ')) {
    if (response.destroyed) return
    send({ choices: [{ index: 0, delta: { content: `${word} ` }, finish_reason: null }] })
    await sleep(paceMs)
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  send({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}
