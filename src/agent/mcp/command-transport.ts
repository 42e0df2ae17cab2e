import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { CommandResult, RunningCommand } from '../sandbox/command.ts'

type Library = Pick<typeof import('@modelcontextprotocol/client'), 'ReadBuffer' | 'serializeMessage'>

/** A larger message ends the server. */
const maxMessageBytes = 16 * 1024 * 1024

/**
 * A server as a command of ours: the library's own transport knows neither the sandbox nor how to end all that a command
 * has started. `start` begins the command; `firstLine` is written to it before the protocol begins.
 */
export function commandTransport(
  { ReadBuffer, serializeMessage }: Library,
  start: (onOutput: (bytes: Buffer) => void, signal: AbortSignal) => Promise<RunningCommand>,
  firstLine: string,
): Transport & { whyEnded: () => string | undefined } {
  const read = new ReadBuffer({ maxBufferSize: maxMessageBytes })
  const ended = new AbortController()
  let running: RunningCommand | undefined
  let why: string | undefined

  const transport: Transport & { whyEnded: () => string | undefined } = {
    whyEnded: () => why,
    async start() {
      running = await start(take, ended.signal).catch((error: Error) => {
        why = error.message
        throw error
      })
      running.input?.write(`${firstLine}\n`)
      running.ended.then(
        (result) => end(endOf(result)),
        (error: Error) => end(`it could not be started: ${error.message}`),
      )
    },
    async send(message: JSONRPCMessage) {
      if (!running?.input?.writable) throw new Error('The server is gone.')
      running.input.write(serializeMessage(message))
    },
    async close() {
      ended.abort()
      await running?.ended.catch(() => {})
      end('it was ended')
    },
  }
  function take(bytes: Buffer): void {
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
  /** A line that is no message, as servers print them by mistake, is passed over. */
  function nextMessage(): JSONRPCMessage | null | undefined {
    try {
      return read.readMessage()
    } catch {
      return undefined
    }
  }
  function end(reason: string): void {
    if (why !== undefined) return
    why = reason
    transport.onclose?.()
  }
  return transport
}

function endOf({ end, complaint }: CommandResult): string {
  const lines = complaint.split('\n').filter((line) => line.trim() !== '')
  // Under a stack the end says nothing.
  const named = lines.findLast((line) => /^(\w+ )*\w*(error|exception|panic)\b.*:/i.test(line))
  const said = (named ?? lines.slice(-3).join(' ')).trim().slice(-500)
  const how =
    end.how === 'exited'
      ? `it exited with code ${end.code}`
      : end.how === 'signalled'
        ? `it was killed by ${end.signal}`
        : `it was ended (${end.why})`
  return said ? `${how}: ${said}` : how
}
