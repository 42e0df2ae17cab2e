import { connect, type Socket } from 'node:net'

/** The address for completions, and the bytes of the request. */
export type Door = { url: URL; request: Buffer; ends: 'json' | 'stream' }

export function doorOf(base: string, key: string, body: object): Door {
  const url = new URL(`${base}/chat/completions`)
  const text = JSON.stringify(body)
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ]
  const ends = 'stream' in body && body.stream ? 'stream' : 'json'
  return { url, request: Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`), ends }
}

export function open({ url }: Door): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect(Number(url.port), url.hostname, () => done(socket.setNoDelay()))
    socket.once('error', fail)
  })
}

/** Milliseconds to the first byte that means something, and to the end. */
export type Timing = { first: number; whole: number }
/** @property refusal how the answer begins, if it is not the one that was wanted. */
type Exchange = { timing: Timing; refusal: string | undefined }

const chunkedEnd = Buffer.from('0\r\n\r\n')

/** Sends one request on an idle or a new connection. @throws Error if it is refused. */
export async function ask(socket: Socket, door: Door): Promise<Timing> {
  const { timing, refusal } = await exchange(socket, door)
  if (refusal !== undefined) throw new Error(refusal)
  return timing
}

/** The end of an answer is known by its length or its last chunk. */
function exchange(socket: Socket, door: Door): Promise<Exchange> {
  const started = performance.now()
  return new Promise((done, fail) => {
    let first = 0
    let missing = 0
    let refusal: string | undefined
    const take = (bytes: Buffer) => {
      if (first === 0) {
        first = performance.now() - started
        const text = bytes.toString('latin1', 0, 1000)
        if (!text.startsWith('HTTP/1.1 200')) refusal = text
        const length = /content-length: (\d+)/i.exec(text)?.[1]
        missing = length ? text.indexOf('\r\n\r\n') + 4 + Number(length) : Number.POSITIVE_INFINITY
      }
      missing -= bytes.length
      const isOver = missing === Number.POSITIVE_INFINITY ? bytes.subarray(-5).equals(chunkedEnd) : missing <= 0
      if (!isOver) return
      socket.off('data', take).off('close', cut)
      done({ timing: { first, whole: performance.now() - started }, refusal })
    }
    const cut = () => fail(new Error('The connection was closed before the answer was over.'))
    socket.on('data', take).on('close', cut)
    socket.write(door.request)
  })
}

/** Answers a second, and how many requests were refused, over connections that each ask again as soon as they are answered. */
export async function saturate(
  door: Door,
  { connections, ms }: { connections: number; ms: number },
): Promise<{ rate: number; refused: number }> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(door)))
  const until = performance.now() + ms
  let answers = 0
  let refused = 0
  const started = performance.now()
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < until) {
        const { refusal } = await exchange(socket, door)
        if (refusal === undefined) answers++
        else refused++
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  for (const socket of sockets) socket.destroy()
  return { rate: answers / seconds, refused }
}

/** Requests at a fixed rate, whatever the answers take. */
export async function atRate(door: Door, { perSecond, ms }: { perSecond: number; ms: number }): Promise<Timing[]> {
  const idle = await Promise.all(Array.from({ length: 8 }, () => open(door)))
  const all = new Set(idle)
  const pending: Promise<Timing | undefined>[] = []
  const started = performance.now()
  for (let due = 0; due < ms; due += 1000 / perSecond) {
    const wait = started + due - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    pending.push(askOnIdle(door, idle, all).catch(() => undefined))
  }
  const timings = await Promise.all(pending)
  for (const socket of all) socket.destroy()
  const answered = timings.filter((timing) => timing !== undefined)
  if (answered.length < timings.length)
    console.log(`${timings.length - answered.length} of ${timings.length} requests were broken off at ${door.url}`)
  return answered
}

async function askOnIdle(door: Door, idle: Socket[], all: Set<Socket>): Promise<Timing> {
  // A server closes a connection that nobody has used for some seconds.
  while (idle.at(-1)?.readableEnded) idle.pop()
  const reused = idle.pop()
  const socket = reused ?? (await open(door))
  all.add(socket)
  try {
    const timing = await ask(socket, door)
    idle.push(socket)
    return timing
  } catch (error) {
    // It may have been closed at the moment in which it was used again.
    if (!reused) throw error
    return askOnIdle(door, idle, all)
  }
}
