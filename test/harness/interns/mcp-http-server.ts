import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { newToolServer } from '../../mcp/tools.ts'

/**
 * The tools of the tests over HTTP: streamable at `/mcp`, by the older protocol at `/sse`. Both require the token.
 * @param options.discoverStatus the answer to a request for the protocol version, as of a server that does not know it.
 */
export async function startMcpServer(token: string, { discoverStatus }: { discoverStatus?: number } = {}) {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const streams = new Map<string, SSEServerTransport>()
  let unknownSessionStatus = 404
  const newServer = (request: IncomingMessage) =>
    newToolServer({ secret: request.headers['x-token'] as string, end: () => http.closeAllConnections() })
  const http = createServer(async (request, response) => {
    if (request.headers['x-token'] !== token)
      return void response.writeHead(401).end(`not ${request.headers['x-token']}`)
    if (discoverStatus !== undefined && request.headers['mcp-method'] === 'server/discover')
      return void response.writeHead(discoverStatus).end()
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
    if (pathname === '/elsewhere') return void response.writeHead(307, { location: 'http://127.0.0.2:9/mcp' }).end()
    if (pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response)
      streams.set(transport.sessionId, transport)
      return newServer(request).connect(transport)
    }
    if (pathname === '/messages') {
      const stream = streams.get(searchParams.get('sessionId') ?? '')
      if (stream) return stream.handlePostMessage(request, response)
      return void response.writeHead(unknownSessionStatus).end('unknown session')
    }
    const session = sessions.get(String(request.headers['mcp-session-id']))
    if (session) return session.handleRequest(request, response)
    if (request.headers['mcp-session-id']) return void response.writeHead(unknownSessionStatus).end('unknown session')
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await newServer(request).connect(transport as Transport)
    await transport.handleRequest(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    /** Removes all sessions, as a restarted server does. @param status the answer to their requests */
    forget: (status = 404) => {
      sessions.clear()
      streams.clear()
      unknownSessionStatus = status
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
