import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { CommandResult, RunningCommand } from '../sandbox/command.ts'

type Library = Pick<typeof import('@modelcontextprotocol/client'), 'ReadBuffer' | 'serializeMessage'>

/** A larger message ends the server. */
const maxMessageBytes = 16 * 1024 * 1024

/**
 * A transport for a server that is a command. The library's own transport supports neither the sandbox nor ending all
 * descendants. `start` starts a shell. It reads `environmentLine` before the first message, which exports the server's
 * environment, and then becomes the command.
 */
export function createCommandTransport(
  { ReadBuffer, serializeMessage }: Library,
  start: (onOutput: (bytes: Buffer) => void, signal: AbortSignal) => Promise<RunningCommand>,
  environmentLine: string,
): Transport & { endReason: () => string | undefined } {
  const read = new ReadBuffer({ maxBufferSize: maxMessageBytes })
  const ended = new AbortController()
  let running: RunningCommand | undefined
  let endReason: string | undefined

  const transport: Transport & { endReason: () => string | undefined } = {
    endReason: () => endReason,
    async start() {
      running = await start(receive, ended.signal).catch((error: Error) => {
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
      ended.abort()
      await running?.ended.catch(() => {})
      end('it was ended')
    },
  }
  function receive(bytes: Buffer): void {
    try {
      read.append(bytes)
      for (;;) {
        const message = nextMessage()
        if (message === null) return
        if (message !== undefined) transport.onmessage?.(message)
      }
    } catch {
      end(`it sent a message of more than ${maxMessageBytes} bytes`)
      ended.abort()
    }
  }
  /** @returns null if no line is complete; undefined for a line that is not a message, which some servers print by mistake. */
  function nextMessage(): JSONRPCMessage | null | undefined {
    try {
      return read.readMessage()
    } catch {
      return undefined
    }
  }
  function end(reason: string): void {
    if (endReason !== undefined) return
    endReason = reason
    transport.onclose?.()
  }
  return transport
}

function describeEnd({ end, errorOutput }: CommandResult): string {
  const lines = errorOutput.split('\n').filter((line) => line.trim() !== '')
  // The last lines of a stack trace say nothing, so this looks for the line with the error.
  const named = lines.findLast((line) => /^(\w+ )*\w*(error|exception|panic)\b.*:/i.test(line))
  const message = (named ?? lines.slice(-3).join(' ')).trim().slice(-500)
  const exitText =
    end.kind === 'exited'
      ? `it exited with code ${end.code}`
      : end.kind === 'signalled'
        ? `it was killed by ${end.signal}`
        : `it was ended (${end.reason})`
  return message ? `${exitText}: ${message}` : exitText
}
