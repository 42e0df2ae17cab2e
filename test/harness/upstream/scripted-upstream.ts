import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { type ProviderFacts, providerFacts } from './provider-facts.ts'
import { fixture, hasFixture } from './recorded-responses.ts'
import { encodeResponse, failedBy } from './upstream-responses.ts'

/** `text` is the body as received, byte for byte. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: any; text: string }

/** A provider on a real socket that answers as a function decides, and records its requests. */
export type ScriptedUpstream = AsyncDisposable & { url: string; requests: Received[] }

type Reply = { status: number; type: string; body: Buffer | string }

export async function startScriptedUpstream(respond: (received: Received) => Reply): Promise<ScriptedUpstream> {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
      text,
    }
    requests.push(received)
    const { status, type, body: result } = respond(received)
    response.writeHead(status, { 'content-type': type })
    response.end(result)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const facts = Object.entries(providerFacts) as [Protocol, ProviderFacts][]

/** The protocol of a request, by its path, its model, and whether it requests a stream. */
export function parseRequest({ path, body }: Received): { protocol: Protocol; name: string; streamed: boolean } {
  const protocol = facts.find(([, known]) => known.path.test(path))?.[0] ?? 'openai-chat'
  const name = body.model ?? /\/models\/([\w-]+):/.exec(path)?.[1]
  return { protocol, name, streamed: body.stream === true || path.includes('alt=sse') }
}

const cited = { text: 'Rome is old.', source: { url: 'https://example.com/rome', title: 'Rome' } }

/**
 * Answers every protocol at its path with the recording that the model is named after. `cited` has the source of its
 * text; `status-…` fails with that status.
 */
export function recordingFor(received: Received): Reply {
  const { path } = received
  if (path.endsWith('/count_tokens')) return { status: 200, type: 'application/json', body: '{"input_tokens":2095}' }
  const { protocol, name, streamed } = parseRequest(received)
  if (name === 'cited') return encodeResponse(protocol, cited, streamed)
  if (name?.startsWith('status-')) return failedBy(protocol, Number(name.slice('status-'.length)))
  const recording = `${protocol}/${name}.${streamed ? 'sse' : 'json'}`
  if (!hasFixture(recording))
    return { status: 404, type: 'application/json', body: `{"error":{"message":"no ${name}"}}` }
  return { status: 200, type: streamed ? 'text/event-stream' : 'application/json', body: fixture(recording) }
}
