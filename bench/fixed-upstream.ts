import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

/**
 * A provider with fixed responses, so fast that it does not limit the measured service: a completion, a stream of 100 events in
 * 100 packets, or, for the model `slow`, a stream with one event per second.
 */
export async function startFixedUpstream(): Promise<{ url: string; stop: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      const bodyStart = received.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
      if (bodyStart < 4 || received.length < bodyStart + length) return
      const isSlow = received.includes('"model":"slow"', bodyStart)
      const isStream = received.includes('"stream":true', bodyStart)
      received = ''
      if (isSlow) sendSlowly(socket)
      else if (isStream) sendStream(socket)
      else socket.write(completion)
    })
  })
  await once(server.listen(0, '127.0.0.1', 4096), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const commonFields = { id: 'chatcmpl-canned', object: 'chat.completion.chunk', created: 1, model: 'canned' }
const usage = { prompt_tokens: 20, completion_tokens: 100, total_tokens: 120 }
const event = (body: object) => `data: ${JSON.stringify({ ...commonFields, ...body })}\n\n`
const delta = (delta: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta, finish_reason }] })
const chunk = (text: string) => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
/** The number of chunks in a stream, including the last ones with usage and `[DONE]`. */
export const chunksOfStream = 100

const packets: Buffer[] = [
  Buffer.concat([Buffer.from(head), chunk(delta({ role: 'assistant', content: '' }))]),
  ...Array.from({ length: chunksOfStream - 4 }, (_, i) => chunk(delta({ content: ` word${i}` }))),
  chunk(delta({}, 'stop')),
  chunk(event({ choices: [], usage })),
  Buffer.concat([chunk('data: [DONE]\n\n'), Buffer.from('0\r\n\r\n')]),
]

function sendStream(socket: Socket): void {
  let i = 0
  const writeNext = () => {
    socket.write(packets[i++]!)
    if (i < packets.length) setImmediate(writeNext)
  }
  writeNext()
}

function sendSlowly(socket: Socket): void {
  socket.write(packets[0]!)
  const timer = setInterval(() => socket.write(packets[1]!), 1000)
  socket.on('close', () => clearInterval(timer))
}

const message = { role: 'assistant', content: 'word '.repeat(100) }
const response = JSON.stringify({ ...commonFields, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
const completion = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${response.length}\r\n\r\n${response}`
