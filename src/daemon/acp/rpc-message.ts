import { trimJsonLine } from '#platform/text/lines.ts'
import { truncateText } from '#platform/text/truncate.ts'

/** The error codes of JSON-RPC. */
export const rpcCodes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const

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

/** A message of JSON-RPC 2.0. */
export type Message = { id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown }

/** The start of a line that is intended as a message. */
const messageStart = /^\s*\{\s*"jsonrpc"/

/**
 * Parses one line as a message, without a byte order mark and escape sequences of a terminal before it. Returns undefined
 * for other lines, because many agents also print a log.
 * @throws Error if the line is a batch of messages, or a message that was cut off.
 */
export function readMessage(line: string): Message | undefined {
  const text = trimJsonLine(line)
  if (text[0] !== '{' && text[0] !== '[') return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    if (messageStart.test(text)) throw new Error('The agent sent a line that is not JSON.')
    return undefined
  }
  if (Array.isArray(parsed) && parsed.length > 0 && parsed.every(isMessage))
    throw new Error('The agent sent a batch of messages.')
  return isMessage(parsed) ? parsed : undefined
}

/** Whether a value is a request, a notification or a response. Some agents omit the version. */
function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false
  if ((value as { jsonrpc?: unknown }).jsonrpc === '2.0') return true
  const { method, id } = value as Message
  return typeof method === 'string' || (id !== undefined && ('result' in value || 'error' in value))
}

export function readError(error: unknown): RpcError {
  const code = readProperty(error, 'code')
  const data = readProperty(error, 'data')
  return new RpcError(
    typeof code === 'number' ? code : rpcCodes.internalError,
    errorMessage(readProperty(error, 'message'), data),
    data,
  )
}

/** An agent can send the whole output of a program as its error. A response of the daemon would be too large with it. */
const maxMessageLength = 4000
const maxDetailsLength = 2000

/** The message of an agent's error, and the details that some agents put into `data`. */
function errorMessage(message: unknown, data: unknown): string {
  const text = typeof message === 'string' ? shorten(message, maxMessageLength) : ''
  const candidates = [
    data,
    readProperty(data, 'details'),
    readProperty(data, 'message'),
    readProperty(readProperty(data, 'error'), 'message'),
  ]
  const details = candidates.find((one) => typeof one === 'string' && one.trim() !== '') as string | undefined
  if (details === undefined || text.includes(details)) return text || 'The agent gave no reason.'
  const shortened = shorten(details, maxDetailsLength)
  return text ? `${text}: ${shortened}` : shortened
}

const shorten = (text: string, maxLength: number) =>
  text.length > maxLength ? `${truncateText(text, maxLength)}…` : text

/** Reads a property of a value of any type. */
export function readProperty(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}
