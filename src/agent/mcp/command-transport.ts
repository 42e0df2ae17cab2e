import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { findEndReason } from '#platform/process/error-output.ts'
import { createLineSplitter, trimJsonLine } from '#platform/text/lines.ts'
import type { CommandResult, RunningCommand } from '../sandbox/command.ts'
import { isAnswer, repairAnswer } from './repair-answers.ts'

type Library = Pick<typeof import('@modelcontextprotocol/client'), 'parseJSONRPCMessage' | 'serializeMessage'>

/** The largest message of a server. A larger one ends it. */
const maxMessageBytes = 16 * 1024 * 1024

/**
 * A transport for an MCP server that is a command. The library's own transport supports neither the sandbox nor ending all
 * descendants. `start` runs the script of `createStartScript`, which reads `environmentLine` before the first message.
 */
export function createCommandTransport(
  { parseJSONRPCMessage, serializeMessage }: Library,
  start: (onOutput: (bytes: Buffer) => void, signal: AbortSignal) => Promise<RunningCommand>,
  environmentLine: string,
): Transport & { endReason: () => string | undefined } {
  const linesOf = createLineSplitter(maxMessageBytes)
  const stopController = new AbortController()
  let running: RunningCommand | undefined
  let endReason: string | undefined

  const transport: Transport & { endReason: () => string | undefined } = {
    endReason: () => endReason,
    async start() {
      running = await start(receive, stopController.signal).catch((error: Error) => {
        endReason = error.message
        throw error
      })
      running.input?.write(`${environmentLine}\n`)
      running.ended.then(
        (result) => end(describeEnd(result)),
        (error: Error) => end(`it could not be started: ${error.message}`),
      )
    },
    async send(message: JSONRPCMessage) {
      if (!running?.input?.writable) throw new Error('The server has ended.')
      running.input.write(serializeMessage(message))
    },
    async close() {
      stopController.abort()
      await running?.ended.catch(() => {})
      end('it was ended')
    },
  }
  function receive(bytes: Buffer): void {
    let lines: string[]
    try {
      lines = linesOf(bytes)
    } catch {
      end(`it sent a message of more than ${maxMessageBytes} bytes`)
      return stopController.abort()
    }
    for (const line of lines) {
      const message = readMessage(line)
      if (message) transport.onmessage?.(message)
    }
  }
  /** Reads a line. Ignores one that is not a message, which some servers print by mistake. */
  function readMessage(line: string): JSONRPCMessage | undefined {
    let value: unknown
    try {
      value = JSON.parse(trimJsonLine(line))
      return parseJSONRPCMessage(isAnswer(value) ? repairAnswer(value) : value)
    } catch {
      return isAnswer(value) ? { jsonrpc: '2.0', id: value.id, error: invalidAnswer } : undefined
    }
  }
  function end(reason: string): void {
    if (endReason !== undefined) return
    endReason = reason
    transport.onclose?.()
  }
  return transport
}

/** Without it, a call whose answer cannot be read would wait until its timeout. */
const invalidAnswer = { code: -32603, message: 'The server sent an answer that breaks the protocol.' }

function describeEnd({ end, errorOutput }: CommandResult): string {
  const reason = findEndReason(errorOutput)
  return reason ? `${describeExit(end)}: ${reason}` : describeExit(end)
}

function describeExit(end: CommandResult['end']): string {
  if (end.kind === 'exited') return `it exited with code ${end.code}`
  return end.kind === 'signalled' ? `it was killed by ${end.signal}` : `it was ended (${end.reason})`
}
