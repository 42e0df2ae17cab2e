import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { Agent, request } from 'undici'

/** The baseline for a gateway: node:http as the server, undici's `request` as the client, and no work in between. */
const [upstream] = process.argv.slice(2)
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = { 'content-type': 'application/json', authorization: incoming.headers.authorization ?? '' }
  const received = await request(`${upstream}/chat/completions`, {
    method: 'POST',
    headers,
    body: Buffer.concat(chunks),
    dispatcher,
  })
  response.writeHead(received.statusCode, { 'content-type': String(received.headers['content-type']) })
  pipeline(received.body, response, () => {})
}

const server = createServer((incoming, response) => {
  forward(incoming, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`)
})
process.on('SIGTERM', () => process.exit(0))
