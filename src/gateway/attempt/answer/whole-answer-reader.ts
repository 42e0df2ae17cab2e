import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import { decodeUtf8, toUtf8, withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import type { BodyReader } from '../../protocol/provider-protocol.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import type { AnswerEnd, AnswerReader } from './answer-reader.ts'
import { AnswerSizeLimit } from './answer-size-limit.ts'
import type { Delivery } from './delivery.ts'
import { isJsonLines } from './json-lines.ts'
import { StreamAnswer } from './stream/stream-answer.ts'
import { parseAnswer, readErrorText, readWholeAnswer, repairAnswer } from './whole-answer.ts'

/** The length of the chunks in which a whole answer is read as a stream. */
const chunkBytes = 64 * 1024

/** Longer errors are truncated, because they are buffered in memory. */
const maxErrorBytes = 64 * 1024

function decodeBody(bytes: Buffer, contentType: string): { bytes: Buffer; text: string } {
  const utf8 = withoutByteOrderMark(toUtf8(bytes, contentType))
  return { bytes: utf8, text: decodeUtf8(utf8) }
}

/** Buffers a whole answer, and reads it at its end. */
export class WholeAnswerReader implements AnswerReader {
  readonly #attempt: AttemptRequest
  readonly #delivery: Delivery
  readonly #contentType: string
  readonly #received = new ByteBuffer()
  readonly #receivedSize = new AnswerSizeLimit()

  constructor(attempt: AttemptRequest, delivery: Delivery, contentType: string) {
    this.#attempt = attempt
    this.#delivery = delivery
    this.#contentType = contentType
  }

  push(chunk: Buffer): undefined {
    this.#received.add(chunk)
    this.#receivedSize.addBytes(chunk.length)
  }

  end(): AnswerEnd {
    const { bytes, text } = decodeBody(this.#received.take(), this.#contentType)
    if (text.trim() === '') throw new Error('the body is empty')
    const answer = parseAnswer(bytes, text)
    if (!answer && isJsonLines(text)) return this.#readAsStream(bytes)
    const error = answer ? undefined : readErrorText(text)
    if (error) return error
    const { events, wholeAnswer } = readWholeAnswer(this.#attempt, answer ?? repairAnswer(text))
    return this.#delivery.deliverWhole(events, wholeAnswer)
  }

  /** Reads JSON lines that arrived with the content type of a whole answer. */
  #readAsStream(bytes: Buffer): AnswerEnd {
    const stream = new StreamAnswer(this.#attempt, this.#delivery, 'json_lines')
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

/** Reads a whole answer that is too long to be parsed at once, with the reader that its request names. */
export class LongAnswerReader implements AnswerReader {
  readonly #reader: BodyReader
  readonly #delivery: Delivery
  readonly #receivedSize = new AnswerSizeLimit()

  constructor(reader: BodyReader, delivery: Delivery) {
    this.#reader = reader
    this.#delivery = delivery
  }

  push(chunk: Buffer): undefined {
    this.#receivedSize.addBytes(chunk.length)
    this.#reader.push(chunk)
  }

  end(): AnswerEnd {
    return this.#delivery.deliverWhole(this.#reader.end(), undefined)
  }
}

/** Buffers the start of the body of an error. */
export class ErrorBodyReader implements AnswerReader {
  readonly #received = new ByteBuffer()
  readonly #contentType: string

  constructor(contentType: string) {
    this.#contentType = contentType
  }

  push(chunk: Buffer): AnswerEnd | undefined {
    this.#received.add(chunk)
    return this.#received.byteLength > maxErrorBytes ? this.end() : undefined
  }

  end(): AnswerEnd {
    return { type: 'error_body', text: decodeBody(this.#received.take(), this.#contentType).text }
  }
}
