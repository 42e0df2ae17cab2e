import { writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { AgentRequest } from '../recordings/agents/agent-requests.ts'

const folder = new URL('../recordings/agents/', import.meta.url)
const maxText = 60

/**
 * Forwards an agent's requests to the service. With TEST_AGENTS_RECORD it also writes them to
 * test/recordings/agents/<name>.snapshot.json: of each shape the last one, one a line.
 */
export async function recordRequests(name: string, service: string): Promise<AsyncDisposable & { url: string }> {
  const requests = new Map<string, AgentRequest>()
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString()
    record(requests, request.url ?? '', request.headers, text)
    const forwarded = send(
      service + request.url,
      { method: request.method, headers: request.headers },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
        upstreamResponse.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    forwarded.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      if (!process.env.TEST_AGENTS_RECORD || requests.size === 0) return
      const lines = [...requests.values()].map((one) => JSON.stringify(one))
      writeFileSync(new URL(`${name}.snapshot.json`, folder), `[\n${lines.join(',\n')}\n]\n`)
    },
  }
}

/** Requests with the same fields and the same kind of last message have one shape. */
function record(requests: Map<string, AgentRequest>, path: string, headers: object, text: string): void {
  if (!text.startsWith('{')) return
  const body = shortened(JSON.parse(text)) as AgentRequest['body']
  const last = [body.messages ?? body.input].flat().at(-1) as { role?: string; type?: string } | undefined
  const shape = `${path} ${Object.keys(body).sort()} ${last?.role ?? last?.type}`
  const protocolHeaders = Object.entries(headers).filter(([header]) => header.startsWith('anthropic-'))
  requests.set(shape, { path, headers: Object.fromEntries(protocolHeaders), body })
}

/** Shortens texts, because the prompts belong to others and only the shape matters. Arguments must remain JSON. */
function shortened(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return value.length > maxText && key !== 'arguments' ? `${value.slice(0, maxText)}…` : value
  if (Array.isArray(value)) return value.map((item) => shortened(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item, name)]))
}
