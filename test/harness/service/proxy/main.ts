import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/**
 * An HTTP proxy as companies run it, started by `startProxy`. The table in its first argument resolves host names, and
 * the second has the required credentials, if any. It prints its port, then each request that it allows.
 */
const routes = JSON.parse(process.argv[2] ?? '{}') as Record<string, number>
const credentials = process.argv[3] ?? ''
const expected = `Basic ${Buffer.from(decodeURIComponent(credentials)).toString('base64')}`

const isAdmitted = (request: IncomingMessage) =>
  credentials === '' || request.headers['proxy-authorization'] === expected

const challenge =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

const log = (method: string, target: string) => void process.stdout.write(`${method} ${target}\n`)

/** An absolute URL. */
function forward(request: IncomingMessage, response: ServerResponse): void {
  if (!isAdmitted(request)) return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end()
  const url = URL.parse(request.url ?? '')
  const port = url ? routes[url.host] : undefined
  if (!url || port === undefined) return void response.writeHead(403).end()
  log(request.method ?? '', url.host)
  const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = request.headers
  const upstream = httpRequest(
    { host: '127.0.0.1', port, method: request.method, path: url.pathname + url.search, headers },
    (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    },
  )
  upstream.on('error', () => response.destroy())
  request.pipe(upstream)
}

function tunnel(request: IncomingMessage, socket: Socket, head: Buffer): void {
  socket.on('error', () => socket.destroy())
  const target = request.url ?? ''
  if (!isAdmitted(request)) return void socket.end(challenge)
  const port = routes[target.replace(/:443$/, '')]
  if (port === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  log('CONNECT', target)
  const upstream = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.write(head)
    socket.pipe(upstream).pipe(socket)
  })
  upstream.on('error', () => socket.destroy())
}

const server = createServer(forward)
server.on('connect', (request, socket, head) => tunnel(request, socket as Socket, head))
server.listen(0, '127.0.0.1', () => log('port', String((server.address() as AddressInfo).port)))
