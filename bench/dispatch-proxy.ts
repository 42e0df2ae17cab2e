import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'

/** The fastest correct proxy on Node: node:http as the server, undici's `dispatch` as the client, each chunk forwarded at once. */
const [upstream] = process.argv.slice(2)
const { origin, pathname } = new URL(upstream!)
const path = `${pathname}/chat/completions`
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

function forward(incoming: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const headers = { 'content-type': 'application/json', authorization: incoming.headers.authorization ?? '' }
  agent.dispatch(
    { origin, path, method: 'POST', headers, body },
    {
      onRequestStart: (controller) =>
        void response.on('close', () => response.writableEnded || controller.abort(disconnected)),
      onResponseStart(_controller, status, responseHeaders) {
        const length = responseHeaders['content-length']
        const lengthHeader = length === undefined ? {} : { 'content-length': String(length) }
        response.writeHead(status, { 'content-type': String(responseHeaders['content-type']), ...lengthHeader })
      },
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
}

const disconnected = new Error('the client disconnected')
const server = createServer((incoming, response) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => forward(incoming, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`)
})
process.on('SIGTERM', () => process.exit(0))
