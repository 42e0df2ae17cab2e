import type { Readable, Writable } from 'node:stream'
import { LineTooLong, lineCutter } from '#platform/text/lines.ts'

/** The two pipes of an agent: what it writes, and what it reads. `exited` tells how it ended, if anyone can know. */
export type Channel = { input: Readable; output: Writable; exited?: Promise<string> }

/** Handles the agent's requests to its client. `withdrawn` aborts when the agent no longer wants the answer. */
export type Handlers = {
  request(method: string, params: unknown, withdrawn: AbortSignal): Promise<unknown>
  notification(method: string, params: unknown): void
  /** Receives a line that is not a message of the protocol; the connection ignores it. */
  skipped?(line: string): void
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

type Message = { id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown }
type Waiter = { resolve: (result: unknown) => void; reject: (error: Error) => void }

/**
 * JSON-RPC 2.0 over lines, the client's side of the Agent Client Protocol. Its types come from the official package;
 * its code does not, because schemas and all cost more memory than an idle daemon may use, because a slow caller
 * must be able to hold back the agent, and because one unknown kind of update must not be an error.
 */
export class Connection {
  readonly #channel: Channel
  readonly #handlers: Handlers
  readonly #limits: { maxMessageBytes: number }
  readonly #cut: ReturnType<typeof lineCutter>
  /** Our requests that wait for an answer. */
  readonly #waiters = new Map<number, Waiter>()
  /** The agent's requests that wait for ours. */
  readonly #asked = new Map<unknown, AbortController>()
  readonly #closed = Promise.withResolvers<Error>()
  #lastId = 0
  #over: Error | undefined

  constructor(channel: Channel, handlers: Handlers, limits: { maxMessageBytes: number }) {
    this.#channel = channel
    this.#handlers = handlers
    this.#limits = limits
    this.#cut = lineCutter(limits.maxMessageBytes)
    const lost = async () => this.close(new ConnectionLost(await exitReason(channel)))
    channel.input.on('data', this.#onData).on('end', lost).on('close', lost).on('error', lost)
    channel.output.on('error', lost)
  }

  /** Why the connection ended. Never rejects. */
  get closed(): Promise<Error> {
    return this.#closed.promise
  }

  /** How many requests have no answer yet. */
  get waiting(): number {
    return this.#waiters.size
  }

  request(method: string, params: unknown, timeoutMs?: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over)
      const id = ++this.#lastId
      const waiter = untilSettled({ resolve, reject }, () => this.#waiters.delete(id))
      this.#waiters.set(id, timeoutMs ? withDeadline(waiter, method, timeoutMs) : waiter)
      try {
        this.#send({ id, method, params })
      } catch (error) {
        // What cannot be written was not asked: no answer will come.
        this.#waiters.get(id)?.reject(asError(error))
      }
    })
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params })
  }

  /** Stops reading from the agent, which then blocks once its pipe is full; `resume` goes on. */
  pause(): void {
    if (!this.#over) this.#channel.input.pause()
  }

  resume(): void {
    this.#channel.input.resume()
  }

  close(why: Error): void {
    if (this.#over) return
    this.#over = why
    this.#channel.input.off('data', this.#onData)
    this.#channel.input.resume()
    for (const waiter of this.#waiters.values()) waiter.reject(why)
    for (const controller of this.#asked.values()) controller.abort()
    this.#waiters.clear()
    this.#asked.clear()
    this.#closed.resolve(why)
  }

  #send(message: object): void {
    const { output } = this.#channel
    if (this.#over || !output.writable) return
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    if (output.writableLength > this.#limits.maxMessageBytes)
      this.close(new ProtocolBroken('The agent does not read its input.'))
  }

  readonly #onData = (chunk: Buffer) => {
    try {
      for (const line of this.#cut(chunk)) {
        if (this.#over) return
        const message = readMessage(line)
        if (message) this.#onMessage(message)
        else if (line.trim() !== '') this.#handlers.skipped?.(line)
      }
    } catch (error) {
      this.close(error instanceof LineTooLong ? new ProtocolBroken(tooLarge(this.#limits)) : asError(error))
    }
  }

  #onMessage({ id, method, params, result, error }: Message): void {
    if (typeof method !== 'string') return this.#onResponse(id, result, error)
    if (id !== undefined) return void this.#onRequest(id, method, params)
    if (method === '$/cancel_request') return this.#asked.get(member(params, 'requestId'))?.abort()
    this.#handlers.notification(method, params)
  }

  #onResponse(id: unknown, result: unknown, error: unknown): void {
    const waiter = this.#waiters.get(id as number)
    if (error === undefined || error === null) return waiter?.resolve(result)
    waiter?.reject(readError(error))
  }

  async #onRequest(id: unknown, method: string, params: unknown): Promise<void> {
    const controller = new AbortController()
    this.#asked.set(id, controller)
    try {
      this.#send({ id, result: (await this.#handlers.request(method, params, controller.signal)) ?? null })
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32603
      this.#send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } })
    } finally {
      if (this.#asked.get(id) === controller) this.#asked.delete(id)
    }
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

/** The start of a line that is meant as a message. */
const messageStart = /^\s*\{\s*"jsonrpc"/

/**
 * Parses one line as a message. Many agents print lines of a log as well: those are undefined.
 * @throws ProtocolBroken where the line is a batch of messages, or a message that was cut off.
 */
function readMessage(line: string): Message | undefined {
  const first = line.trimStart()[0]
  if (first !== '{' && first !== '[') return undefined
  let read: unknown
  try {
    read = JSON.parse(line)
  } catch {
    if (messageStart.test(line)) throw new ProtocolBroken('The agent sent a line that is not JSON.')
    return undefined
  }
  if (Array.isArray(read) && read.length > 0 && read.every(isMessage))
    throw new ProtocolBroken('The agent sent a batch of messages.')
  return isMessage(read) ? read : undefined
}

/** A request, a notification or a response. Some agents leave the version out. */
function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false
  if ((value as { jsonrpc?: unknown }).jsonrpc === '2.0') return true
  const { method, id } = value as Message
  return typeof method === 'string' || (id !== undefined && ('result' in value || 'error' in value))
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
