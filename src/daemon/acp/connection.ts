import type { Readable, Writable } from 'node:stream'
import { Refusal } from '#interns/contract/refusal.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { Fault } from '#platform/core/fault.ts'
import { createLineSplitter } from '#platform/text/lines.ts'
import { type Message, RpcError, readError, readMessage, readProperty, rpcCodes } from './rpc-message.ts'

/**
 * The pipes of an agent process: `input` reads the agent's standard output, `output` writes to the agent's standard input.
 * `exited` resolves with the reason when the process has ended.
 */
export type Channel = { input: Readable; output: Writable; exited?: Promise<string> }

/** Handles the agent's requests to its client. `withdrawal` aborts when the agent cancels its request. */
export type Handlers = {
  request(method: string, params: unknown, withdrawal: AbortSignal): Promise<unknown>
  notification(method: string, params: unknown): void
  /** Receives a line that is not a message of the protocol; the connection ignores it. */
  onSkippedLine?(line: string): void
}

type Waiter = { resolve: (result: unknown) => void; reject: (error: Error) => void }

/**
 * The client's side of the Agent Client Protocol: JSON-RPC 2.0, one message per line. Only the types come from the official
 * package: its schemas need more memory than an idle daemon can use. Also, a slow caller must be able to pause the agent, and an
 * unknown kind of update must not be an error.
 */
export class Connection {
  readonly #channel: Channel
  readonly #handlers: Handlers
  readonly #limits: { maxMessageBytes: number }
  readonly #splitLines: ReturnType<typeof createLineSplitter>
  /** The pending requests to the agent. */
  readonly #waiters = new Map<number, Waiter>()
  /** The pending requests of the agent, which it can cancel. */
  readonly #incoming = new Map<unknown, AbortController>()
  readonly #closed = Promise.withResolvers<Error>()
  #lastId = 0
  #closeReason: Error | undefined

  constructor(channel: Channel, handlers: Handlers, limits: { maxMessageBytes: number }) {
    this.#channel = channel
    this.#handlers = handlers
    this.#limits = limits
    this.#splitLines = createLineSplitter(limits.maxMessageBytes)
    const closeOnLoss = async () => this.close(new Refusal('stream_severed', await exitReason(channel)))
    channel.input.on('data', this.#onData).on('end', closeOnLoss).on('close', closeOnLoss).on('error', closeOnLoss)
    channel.output.on('error', closeOnLoss)
  }

  /** Resolves with the reason when the connection ends. Never rejects. */
  get closed(): Promise<Error> {
    return this.#closed.promise
  }

  /** The number of requests that the agent has not answered yet. */
  get waiting(): number {
    return this.#waiters.size
  }

  /** Sends a request to the agent. @throws Refusal `agent_not_ready` after the timeout. @throws RpcError if the agent refuses. */
  request(method: string, params: unknown, timeoutMs?: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closeReason) return reject(this.#closeReason)
      const id = ++this.#lastId
      const waiter = withCleanup({ resolve, reject }, () => this.#waiters.delete(id))
      this.#waiters.set(id, timeoutMs ? withTimeout(waiter, method, timeoutMs) : waiter)
      try {
        this.#send({ id, method, params })
      } catch (error) {
        // The request was not sent, so there will be no response.
        this.#waiters.get(id)?.reject(asError(error))
      }
    })
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params })
  }

  /** Stops reading from the agent, which then blocks once its pipe is full; `resume` continues. */
  pause(): void {
    if (!this.#closeReason) this.#channel.input.pause()
  }

  resume(): void {
    this.#channel.input.resume()
  }

  close(why: Error): void {
    if (this.#closeReason) return
    this.#closeReason = why
    this.#channel.input.off('data', this.#onData)
    // Discards further output, which would otherwise block the agent when its pipe is full.
    this.#channel.input.resume()
    for (const waiter of this.#waiters.values()) waiter.reject(why)
    // The questions of the agent are not withdrawn: they end with their runs, whose agent died.
    this.#waiters.clear()
    this.#incoming.clear()
    this.#closed.resolve(why)
  }

  #send(message: object): void {
    const { output } = this.#channel
    if (this.#closeReason || !output.writable) return
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    if (output.writableLength > this.#limits.maxMessageBytes)
      this.close(new Error('The agent does not read its input.'))
  }

  readonly #onData = (chunk: Buffer) => {
    try {
      for (const line of this.#splitLines(chunk)) {
        if (this.#closeReason) return
        const message = readMessage(line)
        if (message) this.#onMessage(message)
        else if (line.trim() !== '') this.#handlers.onSkippedLine?.(line)
      }
    } catch (error) {
      this.close(isTooLong(error) ? new Error(tooLargeMessage(this.#limits)) : asError(error))
    }
  }

  #onMessage({ id, method, params, result, error }: Message): void {
    if (typeof method !== 'string') return this.#onResponse(id, result, error)
    if (id !== undefined) return void this.#onRequest(id, method, params)
    if (method === '$/cancel_request') return this.#incoming.get(readProperty(params, 'requestId'))?.abort()
    this.#handlers.notification(method, params)
  }

  #onResponse(id: unknown, result: unknown, error: unknown): void {
    // Some agents return the id as a string.
    const waiter = this.#waiters.get(Number(id))
    if (error === undefined || error === null) return waiter?.resolve(result)
    waiter?.reject(readError(error))
  }

  async #onRequest(id: unknown, method: string, params: unknown): Promise<void> {
    const controller = new AbortController()
    this.#incoming.set(id, controller)
    try {
      this.#send({ id, result: (await this.#handlers.request(method, params, controller.signal)) ?? null })
    } catch (error) {
      const code = error instanceof RpcError ? error.code : rpcCodes.internalError
      this.#send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } })
    } finally {
      if (this.#incoming.get(id) === controller) this.#incoming.delete(id)
    }
  }
}

/** The time to wait for the exit reason of an agent whose output has closed. */
const exitReasonMs = 500

const closedOutput = 'The agent closed its output.'

const exitReason = async ({ exited }: Channel): Promise<string> =>
  exited ? waitAtMost(exitReasonMs, exited, closedOutput) : closedOutput

/** @param cleanUp is called before the waiter is resolved or rejected. */
function withCleanup({ resolve, reject }: Waiter, cleanUp: () => void): Waiter {
  return {
    resolve: (result) => {
      cleanUp()
      resolve(result)
    },
    reject: (error) => {
      cleanUp()
      reject(error)
    },
  }
}

function withTimeout(waiter: Waiter, method: string, timeoutMs: number): Waiter {
  const message = `The agent did not respond to ${method} within ${timeoutMs / 1000} s. Try again later.`
  const timer = setTimeout(() => waiter.reject(new Refusal('agent_not_ready', message)), timeoutMs)
  return withCleanup(waiter, () => clearTimeout(timer))
}

const tooLargeMessage = (limits: { maxMessageBytes: number }) =>
  `The agent sent a message of more than ${limits.maxMessageBytes} bytes.`

/** Whether the agent sent a line over the limit. */
const isTooLong = (error: unknown) => error instanceof Fault && error.kind === 'payload_too_large'

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
