import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import { decodeUtf8, toUtf8, withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import type { BodyReader } from '../../protocol/provider-protocol.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import type { Delivery } from './delivery.ts'
import { isJsonLines } from './json-lines.ts'
import type { ResponseEnd, ResponseReader } from './response-reader.ts'
import { ResponseSizeLimit } from './response-size-limit.ts'
import { StreamResponse } from './stream/stream-response.ts'
import { parseResponse, readErrorText, readWholeResponse, repairResponse } from './whole-response.ts'

/** The length of the chunks in which a whole response is read as a stream. */
const chunkBytes = 64 * 1024

/** Longer errors are truncated, because they are buffered in memory. */
const maxErrorBytes = 64 * 1024

function decodeBody(bytes: Buffer, contentType: string): { bytes: Buffer; text: string } {
  const utf8 = withoutByteOrderMark(toUtf8(bytes, contentType))
  return { bytes: utf8, text: decodeUtf8(utf8) }
}

/** Buffers a whole response, and reads it at its end. */
export class WholeResponseReader implements ResponseReader {
  readonly #attempt: AttemptRequest
  readonly #delivery: Delivery
  readonly #contentType: string
  readonly #received = new ByteBuffer()
  readonly #receivedSize = new ResponseSizeLimit()

  constructor(attempt: AttemptRequest, delivery: Delivery, contentType: string) {
    this.#attempt = attempt
    this.#delivery = delivery
    this.#contentType = contentType
  }

  push(chunk: Buffer): undefined {
    this.#received.add(chunk)
    this.#receivedSize.addBytes(chunk.length)
  }

  end(): ResponseEnd {
    const { bytes, text } = decodeBody(this.#received.take(), this.#contentType)
    if (text.trim() === '') throw new Error('the body is empty')
    const response = parseResponse(bytes, text)
    if (!response && isJsonLines(text)) return this.#readAsStream(bytes)
    const error = response ? undefined : readErrorText(text)
    if (error) return error
    const { events, wholeResponse } = readWholeResponse(this.#attempt, response ?? repairResponse(text))
    return this.#delivery.deliverWhole(events, wholeResponse)
  }

  /** Reads JSON lines that arrived with the content type of a whole response. */
  #readAsStream(bytes: Buffer): ResponseEnd {
    const stream = new StreamResponse(this.#attempt, this.#delivery, 'json_lines')
    try {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const end = stream.push(bytes.subarray(at, at + chunkBytes))
        if (end) return end
      }
      return stream.end()
    } finally {
      stream.dispose()
    }
  }
}

/** Reads a whole response that is too long to be parsed at once, with the reader that its request names. */
export class LongResponseReader implements ResponseReader {
  readonly #reader: BodyReader
  readonly #delivery: Delivery
  readonly #receivedSize = new ResponseSizeLimit()

  constructor(reader: BodyReader, delivery: Delivery) {
    this.#reader = reader
    this.#delivery = delivery
  }

  push(chunk: Buffer): undefined {
    this.#receivedSize.addBytes(chunk.length)
    this.#reader.push(chunk)
  }

  end(): ResponseEnd {
    return this.#delivery.deliverWhole(this.#reader.end(), undefined)
  }
}

/** Buffers the start of the body of an error. */
export class ErrorBodyReader implements ResponseReader {
  readonly #received = new ByteBuffer()
  readonly #contentType: string

  constructor(contentType: string) {
    this.#contentType = contentType
  }

  push(chunk: Buffer): ResponseEnd | undefined {
    this.#received.add(chunk)
    return this.#received.byteLength > maxErrorBytes ? this.end() : undefined
  }

  end(): ResponseEnd {
    return { type: 'error_body', text: decodeBody(this.#received.take(), this.#contentType).text }
  }
}
