import { connect, type Socket } from 'node:net'

type Target = { url: URL; headers: Record<string, string> }

/**
 * Measures the requests per second over several keep-alive connections, each with one request at a time. Counts bytes instead of
 * parsing responses, so that the client is cheaper than the server: all responses have the length of the first one.
 */
export async function requestsPerSecond(target: Target, { connections, ms }: { connections: number; ms: number }) {
  const length = await responseLength(target)
  let responses = 0
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(target.url)))
  const startedAt = performance.now()
  for (const socket of sockets) {
    let missingBytes = length
    socket.on('data', (chunk) => {
      missingBytes -= chunk.length
      if (missingBytes > 0) return
      if (missingBytes < 0) throw new Error('a response was longer than the first one')
      responses++
      missingBytes = length
      socket.write(requestText(target))
    })
    socket.write(requestText(target))
  }
  await new Promise((done) => setTimeout(done, ms))
  const seconds = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  return responses / seconds
}

/** Sends requests one after the other on one connection. @returns the milliseconds of each round trip */
export async function roundTrips(target: Target, count: number): Promise<number[]> {
  const length = await responseLength(target)
  const socket = await open(target.url)
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now()
    socket.write(requestText(target))
    await readBytes(socket, length)
    times.push(performance.now() - startedAt)
  }
  socket.destroy()
  return times
}

function readBytes(socket: Socket, length: number): Promise<void> {
  return new Promise((done) => {
    let missingBytes = length
    const count = (chunk: Buffer) => {
      missingBytes -= chunk.length
      if (missingBytes > 0) return
      socket.off('data', count)
      done()
    }
    socket.on('data', count)
  })
}

/** The length of a response in bytes, head and body together. */
async function responseLength(target: Target): Promise<number> {
  const socket = await open(target.url)
  socket.write(requestText(target))
  const head = await new Promise<string>((done) => socket.once('data', (chunk) => done(chunk.toString('latin1'))))
  socket.destroy()
  const end = head.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(head.slice(0, end))?.[1]
  if (!head.startsWith('HTTP/1.1 200') || !length) throw new Error(`unexpected response: ${head.slice(0, 200)}`)
  return end + 4 + Number(length)
}

function requestText({ url, headers }: Target): string {
  const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

function open(url: URL): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect(Number(url.port), url.hostname, () => done(socket.setNoDelay()))
    socket.once('error', fail)
  })
}
