import { connect, type Socket } from 'node:net'

export type Target = { url: URL; headers: Record<string, string> }

/**
 * Requests a second over `connections` kept-alive connections, each asking again as soon as it is answered. It counts
 * bytes instead of parsing: all answers of a target have the length of its first one, and the client stays the
 * cheaper side.
 */
export async function requestsPerSecond(target: Target, { connections, ms }: { connections: number; ms: number }) {
  const length = await answerLength(target)
  let answers = 0
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(target.url)))
  const started = performance.now()
  for (const socket of sockets) {
    let missing = length
    socket.on('data', (chunk) => {
      missing -= chunk.length
      if (missing > 0) return
      if (missing < 0) throw new Error('an answer was longer than the first one')
      answers++
      missing = length
      socket.write(requestText(target))
    })
    socket.write(requestText(target))
  }
  await new Promise((done) => setTimeout(done, ms))
  const seconds = (performance.now() - started) / 1000
  for (const socket of sockets) socket.destroy()
  return answers / seconds
}

/** Milliseconds of each of `count` round trips, one after the other on one connection. */
export async function roundTrips(target: Target, count: number): Promise<number[]> {
  const length = await answerLength(target)
  const socket = await open(target.url)
  const times: number[] = []
  for (let done = 0; done < count; done++) {
    const started = performance.now()
    socket.write(requestText(target))
    await received(socket, length)
    times.push(performance.now() - started)
  }
  socket.destroy()
  return times
}

function received(socket: Socket, length: number): Promise<void> {
  return new Promise((done) => {
    let missing = length
    const count = (chunk: Buffer) => {
      missing -= chunk.length
      if (missing > 0) return
      socket.off('data', count)
      done()
    }
    socket.on('data', count)
  })
}

/** Head and body together, in bytes. */
async function answerLength(target: Target): Promise<number> {
  const socket = await open(target.url)
  socket.write(requestText(target))
  const head = await new Promise<string>((done) => socket.once('data', (chunk) => done(chunk.toString('latin1'))))
  socket.destroy()
  const end = head.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(head.slice(0, end))?.[1]
  if (!head.startsWith('HTTP/1.1 200') || !length) throw new Error(`not the answer to measure: ${head.slice(0, 200)}`)
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
