import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { providerFacts } from './provider-facts.ts'
import { encodeResponse } from './upstream-responses.ts'

type ClientRequest = { url: string; key: string; text: string }
type TextResponse = { status: number; text: string }

/** An upstream of every protocol and a client in a separate thread, so that this thread runs only the service. One request at a time. */
export type SeparateThread = AsyncDisposable & {
  upstream: string
  send: (request: ClientRequest) => Promise<TextResponse>
}

export async function startSeparateThread(): Promise<SeparateThread> {
  const worker = new Worker(new URL(import.meta.url))
  const nextMessage = async <Message>() => (await once(worker, 'message'))[0] as Message
  const upstream = await nextMessage<string>()
  return {
    upstream,
    send(request) {
      worker.postMessage(request)
      return nextMessage<TextResponse>()
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

async function runThread(port: NonNullable<typeof parentPort>): Promise<void> {
  const server = createServer((incoming, response) => {
    if (incoming.url?.endsWith('/embeddings')) return void respondWithEmbeddings(incoming, response)
    const protocol = Object.entries(providerFacts).find(([, { path }]) => path.test(incoming.url ?? ''))
    const { status, type, body } = encodeResponse((protocol?.[0] ?? 'openai-chat') as never, { text: 'Hi' }, false)
    incoming.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  port.on('message', async ({ url, key, text }: ClientRequest) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const clientRequest = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': text.length },
    })
    clientRequest.end(text)
    const [response] = await once(clientRequest, 'response')
    port.postMessage({
      status: response.statusCode,
      text: (await response.toArray()).slice(0, 1).join('').slice(0, 500),
    })
  })
}

/** Answers with one vector for each input, with the requested dimensions and always as numbers. */
async function respondWithEmbeddings(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { input, dimensions } = JSON.parse((await incoming.toArray()).join(''))
  const embedding = Array.from({ length: dimensions ?? 8 }, (_, at) => Math.sin(at))
  const item = JSON.stringify(embedding)
  const data = input.map((_: unknown, index: number) => `{"index":${index},"embedding":${item}}`)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"data":[${data.join(',')}],"usage":{"prompt_tokens":${input.length}}}`)
}

if (!isMainThread && parentPort) await runThread(parentPort)
