import type { Readable, Writable } from 'node:stream'
import { LineTooLong, lineCutter } from '#lib/lines.ts'

/** The two pipes of an agent: what it writes, and what it reads. `exited` tells how it ended, if anyone can know. */
export type Channel = { input: Readable; output: Writable; exited?: Promise<string> }

/** Handles the agent's requests to its client. `withdrawn` aborts when the agent no longer wants the answer. */
export type Handlers = {
  request(method: string, params: unknown, withdrawn: AbortSignal): Promise<unknown>
  notification(method: string, params: unknown): void
}

/** An answer that is an error, in either direction. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The pipes are closed: the agent is gone. */
export class ConnectionLost extends Error {}

/** The agent does not speak the protocol, or more of it than anyone can hold. */
export class ProtocolBroken extends Error {}

/** An answer that did not come in time. */
class NoAnswer extends Error {}

export type Connection = {
  request(method: string, params: unknown, timeoutMs?: number): Promise<unknown>
  notify(method: string, params: unknown): void
  /** Stops reading from the agent, which then blocks once its pipe is full; `resume` goes on. */
  pause(): void
  resume(): void
  close(why: Error): void
  /** How many requests have no answer yet. */
  readonly waiting: number
  /** Why the connection ended. Never rejects. */
  closed: Promise<Error>
}

type Message = { id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown }
type Waiter = { resolve: (result: unknown) => void; reject: (error: Error) => void }

/**
 * JSON-RPC 2.0 over lines, the client's side of the Agent Client Protocol. Its types come from the official package;
 * its code does not, because schemas and all cost more memory than an idle daemon may use, because a slow caller
 * must be able to hold back the agent, and because one unknown kind of update must not be an error.
 */
export function connect(channel: Channel, handlers: Handlers, limits: { maxMessageBytes: number }): Connection {
  const { input, output } = channel
  const waiters = new Map<number, Waiter>()
  const asked = new Map<unknown, AbortController>()
  const cut = lineCutter(limits.maxMessageBytes)
  const { promise: closed, resolve: settleClosed } = Promise.withResolvers<Error>()
  let lastId = 0
  let over: Error | undefined

  const close = (why: Error) => {
    if (over) return
    over = why
    input.off('data', onData)
    input.resume()
    for (const waiter of waiters.values()) waiter.reject(why)
    for (const controller of asked.values()) controller.abort()
    waiters.clear()
    asked.clear()
    settleClosed(why)
  }
  const send = (message: object) => {
    if (over || !output.writable) return
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    if (output.writableLength > limits.maxMessageBytes) close(new ProtocolBroken('The agent does not read its input.'))
  }

  const onRequest = async (id: unknown, method: string, params: unknown) => {
    const controller = new AbortController()
    asked.set(id, controller)
    try {
      send({ id, result: (await handlers.request(method, params, controller.signal)) ?? null })
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32603
      send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } })
    } finally {
      if (asked.get(id) === controller) asked.delete(id)
    }
  }
  const onResponse = (message: Message) => {
    const waiter = waiters.get(message.id as number)
    if (message.error === undefined || message.error === null) return waiter?.resolve(message.result)
    waiter?.reject(readError(message.error))
  }
  const onMessage = (message: Message) => {
    if (typeof message.method !== 'string') return onResponse(message)
    if (message.id !== undefined) return void onRequest(message.id, message.method, message.params)
    if (message.method === '$/cancel_request') return asked.get(member(message.params, 'requestId'))?.abort()
    handlers.notification(message.method, message.params)
  }
  const onData = (chunk: Buffer) => {
    try {
      for (const line of cut(chunk)) {
        if (over) return
        const message = readMessage(line)
        if (message) onMessage(message)
      }
    } catch (error) {
      close(error instanceof LineTooLong ? new ProtocolBroken(tooLarge(limits)) : asError(error))
    }
  }

  const lost = async () => close(new ConnectionLost(await exitReason(channel)))
  input.on('data', onData).on('end', lost).on('close', lost).on('error', lost)
  output.on('error', lost)

  return {
    request: (method, params, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (over) return reject(over)
        const id = ++lastId
        const waiter = untilSettled({ resolve, reject }, () => waiters.delete(id))
        waiters.set(id, timeoutMs ? withDeadline(waiter, method, timeoutMs) : waiter)
        try {
          send({ id, method, params })
        } catch (error) {
          // What cannot be written was not asked: no answer will come.
          waiters.get(id)?.reject(asError(error))
        }
      }),
    get waiting() {
      return waiters.size
    },
    notify: (method, params) => send({ method, params }),
    pause: () => void (over || input.pause()),
    resume: () => void input.resume(),
    close,
    closed,
  }
}

/** After the output of an agent has closed, the cause of its end is waited for this long. */
const exitReasonMs = 500

async function exitReason({ exited }: Channel): Promise<string> {
  const { promise: silence, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(resolve, exited ? exitReasonMs : 0, 'The agent closed its output.')
  const words = await Promise.race([exited ?? silence, silence])
  clearTimeout(timer)
  return words
}

/** Parses one line as a message. A line that does not begin like JSON is ignored. Invalid JSON breaks the protocol. */
function readMessage(line: string): Message | undefined {
  const first = line.trimStart()[0]
  if (first === '[') throw new ProtocolBroken('The agent sent a batch of messages.')
  if (first !== '{') return undefined
  try {
    return JSON.parse(line)
  } catch {
    throw new ProtocolBroken('The agent sent a line that is not JSON.')
  }
}

function readError(error: unknown): RpcError {
  const code = member(error, 'code')
  const data = member(error, 'data')
  return new RpcError(typeof code === 'number' ? code : -32603, reasonOf(member(error, 'message'), data), data)
}

const longestDetails = 2000

/** What an agent says of its error, and the details, which some put where only programs look. */
function reasonOf(message: unknown, data: unknown): string {
  const said = typeof message === 'string' ? message : ''
  const details = [data, member(data, 'details'), member(data, 'message'), member(member(data, 'error'), 'message')]
  const told = details.find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined
  if (told === undefined || said.includes(told)) return said || 'The agent gave no reason.'
  const cut = told.length > longestDetails ? `${told.slice(0, longestDetails)}…` : told
  return said ? `${said}: ${cut}` : cut
}

function untilSettled({ resolve, reject }: Waiter, settled: () => void): Waiter {
  return {
    resolve: (result) => {
      settled()
      resolve(result)
    },
    reject: (error) => {
      settled()
      reject(error)
    },
  }
}

function withDeadline(waiter: Waiter, method: string, timeoutMs: number): Waiter {
  const timer = setTimeout(
    () => waiter.reject(new NoAnswer(`The agent did not answer ${method} within ${timeoutMs / 1000} s.`)),
    timeoutMs,
  )
  return {
    resolve: (result) => {
      clearTimeout(timer)
      waiter.resolve(result)
    },
    reject: (error) => {
      clearTimeout(timer)
      waiter.reject(error)
    },
  }
}

const tooLarge = (limits: { maxMessageBytes: number }) =>
  `The agent sent a message of more than ${limits.maxMessageBytes} bytes.`

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

/** A member of what may be anything. */
export function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
