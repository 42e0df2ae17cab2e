import type { IncomingMessage } from 'node:http'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import type { Bytes } from '../contract/files.ts'
import { Refusal } from '../contract/refusal.ts'

/** The longest response that is not a stream: an agent that controls its daemon must not fill our memory. */
export const maxResponseBytes = 64 * 1024
/** The time limit of an answer that is not a stream: such an agent must not occupy our connections forever. */
const responseTimeoutMs = 60_000

/** The most pieces of an answer. A daemon sends it at once, but a compromised one can send a chunk for each byte. */
const maxPieces = 20_000

type TextOptions = { body?: object; signal?: AbortSignal | undefined; maxBytes?: number; timeoutMs?: number }

/** Requests to a daemon. `send` returns a response as a stream; `requestText` returns a whole answer within a time limit. */
export type DaemonClient = {
  send: (method: string, path: string, body?: object | Bytes, signal?: AbortSignal) => Promise<IncomingMessage>
  /** @throws Refusal for a response that is too large, breaks, or takes longer than `timeoutMs`. */
  requestText: (method: string, path: string, options?: TextOptions) => Promise<string>
}

export function createDaemonClient(send: DaemonClient['send'], defaultTimeoutMs = responseTimeoutMs): DaemonClient {
  const requestText: DaemonClient['requestText'] = async (
    method,
    path,
    { body, signal, maxBytes, timeoutMs = defaultTimeoutMs } = {},
  ) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await send(method, path, body, signal ? AbortSignal.any([signal, timeout]) : timeout)
      return await readText(response, maxBytes)
    } catch (error) {
      if (!timeout.aborted || signal?.aborted) throw error
      throw new Refusal('intern_unreachable', `The intern did not respond within ${timeoutMs / 1000} seconds.`)
    }
  }
  return { send, requestText }
}

/** @throws Refusal for a response over `maxBytes` or in too many pieces, or one that breaks. */
export async function readText(response: IncomingMessage, maxBytes = maxResponseBytes): Promise<string> {
  const body = new ByteBuffer()
  let pieces = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      body.add(chunk)
      if (body.byteLength > maxBytes || ++pieces > maxPieces)
        throw new Refusal('intern_rejected', 'The response of the intern is too large.')
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('stream_severed', 'The connection to the intern broke before the end of its response.')
  }
  return body.take().toString('utf8')
}

/**
 * Encodes a name as a path segment for the daemon. Parsing a URL resolves `.` and `..`, also encoded ones, so these are encoded
 * twice: no session, run or question has such a name.
 */
export function encodePathSegment(name: string): string {
  return /^\.\.?$/.test(name) ? name.replaceAll('.', '%252E') : encodeURIComponent(name)
}
