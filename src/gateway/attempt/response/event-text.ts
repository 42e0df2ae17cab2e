import type { CompletionEvent } from '#chat/events.ts'
import { isDeeper } from '#platform/json/depth.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import { readPageText } from '../../providers/errors/error-page.ts'

/** Some upstreams send events without an object as keep-alives: empty, `null`, or a word, also in brackets. */
export const isKeepAlive = ({ event, data }: SseEvent) => event !== 'error' && !/^\s*(?:\{|\[(?![\w-]+\]))/.test(data)

/** How many bytes at the start of a response show its form: a byte order mark, white space, and the first name or bracket. */
const eventStartBytes = 16
const wholeStartBytes = 64

/** Whether a response starts with a field of server-sent events. Some servers and proxies declare another content type. */
export function looksLikeEventStream(chunk: Buffer): boolean {
  return /^(?:data|event|id|retry)?:/.test(
    withoutByteOrderMark(chunk.subarray(0, eventStartBytes)).toString('latin1').trimStart(),
  )
}

/** Whether an announced stream is JSON or an HTML page instead. No field of an event starts with `{` or `<`. */
export function startsWholeResponse(chunk: Buffer): boolean {
  return /^\s*(?:error:\s*)?[{<]/.test(withoutByteOrderMark(chunk.subarray(0, wholeStartBytes)).toString('latin1'))
}

/** Whether a response is an HTML page or plain text, such as the error of a proxy. */
export const isPageOrPlainText = (text: string) => /^\s*(?:<[!a-z]|[a-z]+ [a-z])/i.test(text)

/** Converts a page or plain text, which a server sent in place of a response, to an error event. */
export function toErrorEvent(text: string): Extract<CompletionEvent, { type: 'error' }> {
  return { type: 'error', message: readPageText(text), status: undefined }
}

/** The event with only its name and its data on one line. Line breaks in JSON are white space. */
export function toSingleLineEvent({ event, data }: SseEvent): Buffer {
  return Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${data.replaceAll('\n', ' ')}\n\n`)
}

/** No response is nested so deeply. Much deeper JSON can be parsed, but `JSON.stringify` fails on it. */
const maxDepth = 500

/** @param text the JSON of the value. @throws Error if the value is nested too deeply. */
export function assertMaxDepth(value: unknown, text: string): void {
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth))
    throw new Error(`it is nested more than ${maxDepth} levels deep`)
}
