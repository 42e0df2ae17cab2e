import { connect, type Socket } from 'node:net'

/** The address for completions, and the bytes of the request. */
export type CompletionTarget = { url: URL; request: Buffer }

export function createCompletionTarget(
  base: string,
  key: string,
  body: object,
  headers: string[] = [],
): CompletionTarget {
  const url = new URL(`${base}/chat/completions`)
  const text = JSON.stringify(body)
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ]
  return { url, request: Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`) }
}

export function connectTo({ url }: CompletionTarget): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect(Number(url.port), url.hostname, () => done(socket.setNoDelay()))
    socket.once('error', fail)
  })
}

/** Milliseconds to the first byte of the response, and to its end. */
export type Timing = { firstByteMs: number; wholeMs: number }
/** @property refusal the start of the response if its status is not 200. */
type Exchange = { timing: Timing; refusal: string | undefined }

const chunkedEnd = Buffer.from('0\r\n\r\n')

/** Sends one request on an idle or a new connection. @throws Error if it is refused. */
export async function sendRequest(socket: Socket, target: CompletionTarget): Promise<Timing> {
  const { timing, refusal } = await exchange(socket, target)
  if (refusal !== undefined) throw new Error(refusal)
  return timing
}

/** Sends one request and waits for the end of the response, which its length or its last chunk shows. */
function exchange(socket: Socket, target: CompletionTarget): Promise<Exchange> {
  const startedAt = performance.now()
  return new Promise((done, fail) => {
    let firstByteMs = 0
    let missingBytes = 0
    let refusal: string | undefined
    const onData = (bytes: Buffer) => {
      if (firstByteMs === 0) {
        firstByteMs = performance.now() - startedAt
        const text = bytes.toString('latin1', 0, 1000)
        if (!text.startsWith('HTTP/1.1 200')) refusal = text
        const length = /content-length: (\d+)/i.exec(text)?.[1]
        missingBytes = length ? text.indexOf('\r\n\r\n') + 4 + Number(length) : Number.POSITIVE_INFINITY
      }
      missingBytes -= bytes.length
      const isOver =
        missingBytes === Number.POSITIVE_INFINITY ? bytes.subarray(-5).equals(chunkedEnd) : missingBytes <= 0
      if (!isOver) return
      socket.off('data', onData).off('close', onEarlyClose)
      done({ timing: { firstByteMs, wholeMs: performance.now() - startedAt }, refusal })
    }
    const onEarlyClose = () => fail(new Error('The connection was closed before the end of the response.'))
    socket.on('data', onData).on('close', onEarlyClose)
    socket.write(target.request)
  })
}

/** Sends a number of requests over several connections, each as soon as the previous response has ended. */
export async function sendRequests(
  target: CompletionTarget,
  { connections, times }: { connections: number; times: number },
): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connectTo(target)))
  let remaining = times
  await Promise.all(
    sockets.map(async (socket) => {
      while (remaining-- > 0) await sendRequest(socket, target)
    }),
  )
  for (const socket of sockets) socket.destroy()
}

type Load = { rate: number; refused: number; wholeMs: number[] }

/**
 * Sends requests over several connections, each as soon as the previous response has ended.
 * @returns responses per second, the number of refused requests, and the milliseconds of each response.
 */
export async function saturate(
  target: CompletionTarget,
  { connections, ms }: { connections: number; ms: number },
): Promise<Load> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connectTo(target)))
  const until = performance.now() + ms
  const wholeMs: number[] = []
  let refused = 0
  const startedAt = performance.now()
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < until) {
        const { refusal, timing } = await exchange(socket, target)
        if (refusal === undefined) wholeMs.push(timing.wholeMs)
        else refused++
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  return { rate: wholeMs.length / seconds, refused, wholeMs }
}

/** Sends requests at a fixed rate, regardless of the duration of the responses. @returns the timings of answered requests */
export async function requestAtRate(
  target: CompletionTarget,
  { perSecond, ms }: { perSecond: number; ms: number },
): Promise<Timing[]> {
  const idle = await Promise.all(Array.from({ length: 8 }, () => connectTo(target)))
  const sockets = new Set(idle)
  const pending: Promise<Timing | undefined>[] = []
  const startedAt = performance.now()
  for (let due = 0; due < ms; due += 1000 / perSecond) {
    const wait = startedAt + due - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
    pending.push(sendOnIdleConnection(target, idle, sockets).catch(() => undefined))
  }
  const timings = await Promise.all(pending)
  for (const socket of sockets) socket.destroy()
  const completed = timings.filter((timing) => timing !== undefined)
  if (completed.length < timings.length)
    console.log(`${timings.length - completed.length} of ${timings.length} requests failed at ${target.url}`)
  return completed
}

async function sendOnIdleConnection(target: CompletionTarget, idle: Socket[], sockets: Set<Socket>): Promise<Timing> {
  // The server closes idle connections after some seconds.
  while (idle.at(-1)?.readableEnded) idle.pop()
  const reused = idle.pop()
  const socket = reused ?? (await connectTo(target))
  sockets.add(socket)
  try {
    const timing = await sendRequest(socket, target)
    idle.push(socket)
    return timing
  } catch (error) {
    // The server may have closed the idle connection just before it was used.
    if (!reused) throw error
    return sendOnIdleConnection(target, idle, sockets)
  }
}
