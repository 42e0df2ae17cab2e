import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { findEndReason } from '#platform/process/error-output.ts'
import { createLineSplitter, trimJsonLine } from '#platform/text/lines.ts'
import type { CommandResult, RunningCommand } from '../sandbox/command.ts'
import { isJsonRpcResponse, repairJsonRpcResponse } from './repair-responses.ts'

type Library = Pick<typeof import('@modelcontextprotocol/client'), 'parseJSONRPCMessage' | 'serializeMessage'>

/** The largest message of a server. A larger one ends it. */
const maxMessageBytes = 16 * 1024 * 1024

type StartCommand = (onOutput: (bytes: Buffer) => void, signal: AbortSignal) => Promise<RunningCommand>

/**
 * A transport for an MCP server that is a command. The library's own transport supports neither the sandbox nor ending all
 * descendants. The started script (`createStartScript` in `command-script.ts`) reads the server's environment before the first message.
 */
export class CommandTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  readonly #library: Library
  readonly #startCommand: StartCommand
  readonly #environmentLine: string
  readonly #splitLines = createLineSplitter(maxMessageBytes)
  readonly #stopController = new AbortController()
  #running: RunningCommand | undefined
  #endReason: string | undefined

  constructor(library: Library, startCommand: StartCommand, environmentLine: string) {
    this.#library = library
    this.#startCommand = startCommand
    this.#environmentLine = environmentLine
  }

  /** Why the command has ended; undefined while it runs. */
  get endReason(): string | undefined {
    return this.#endReason
  }

  async start(): Promise<void> {
    const onOutput = (bytes: Buffer) => this.#receive(bytes)
    this.#running = await this.#startCommand(onOutput, this.#stopController.signal).catch((error: Error) => {
      this.#endReason = error.message
      throw error
    })
    this.#running.input?.write(`${this.#environmentLine}\n`)
    this.#running.ended.then(
      (result) => this.#end(describeEnd(result)),
      (error: Error) => this.#end(`it could not be started: ${error.message}`),
    )
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#running?.input
    if (!input?.writable) throw new Error('The server has ended.')
    input.write(this.#library.serializeMessage(message))
  }

  async close(): Promise<void> {
    this.#stopController.abort()
    await this.#running?.ended.catch(() => {})
    this.#end('it was ended')
  }

  #receive(bytes: Buffer): void {
    let lines: string[]
    try {
      lines = this.#splitLines(bytes)
    } catch {
      this.#end(`it sent a message of more than ${maxMessageBytes} bytes`)
      return this.#stopController.abort()
    }
    for (const line of lines) {
      const message = this.#readMessage(line)
      if (message) this.onmessage?.(message)
    }
  }

  /** Reads a line. Ignores one that is not a message, which some servers print by mistake. */
  #readMessage(line: string): JSONRPCMessage | undefined {
    let value: unknown
    try {
      value = JSON.parse(trimJsonLine(line))
      return this.#library.parseJSONRPCMessage(isJsonRpcResponse(value) ? repairJsonRpcResponse(value) : value)
    } catch {
      return isJsonRpcResponse(value) ? { jsonrpc: '2.0', id: value.id, error: invalidResponse } : undefined
    }
  }

  #end(reason: string): void {
    if (this.#endReason !== undefined) return
    this.#endReason = reason
    this.onclose?.()
  }
}

/** The error of a call whose response cannot be read. Without it, the call would wait until its timeout. */
const invalidResponse = { code: -32603, message: 'The server sent a response that breaks the protocol.' }

function describeEnd({ end, errorOutput }: CommandResult): string {
  const reason = findEndReason(errorOutput)
  return reason ? `${describeExit(end)}: ${reason}` : describeExit(end)
}

function describeExit(end: CommandResult['end']): string {
  if (end.kind === 'exited') return `it exited with code ${end.code}`
  return end.kind === 'signalled' ? `it was killed by ${end.signal}` : `it was ended (${end.reason})`
}
