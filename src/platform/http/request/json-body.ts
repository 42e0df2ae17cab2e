import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Pause, runInSlices, type Steps, selectPause } from '../../async/long-work.ts'
import { Fault } from '../../core/fault.ts'
import {
  type FieldFilter,
  hasLongNumber,
  parseExactly,
  toTextOfExactFields,
} from '../../json/json-text/exact-numbers.ts'
import { JsonSource, shouldRetainSource } from '../../json/json-text/json-source.ts'
import { replaceLoneSurrogates } from '../../json/json-text/lone-surrogates.ts'
import { parseJson } from '../../json/json-text/plain-names.ts'
import { decodeUtf8 } from '../../text/decode-bytes.ts'
import { checkValueDepth, type PartLimits } from './json-parts.ts'
import { type LongJson, parseInSteps } from './long-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the request gets its `bodySource`. */
    keepsOriginalBody?: boolean
    /** The limit of parts of its bodies, if it differs from the default. */
    maxBodyParts?: number
    /** The fields of its bodies that become JSON text if double precision would round a number in them. */
    exactFields?: FieldFilter
  }
  interface FastifyRequest {
    /** The bytes of the body, if it is long and the route sets `keepsOriginalBody`. */
    bodySource: JsonSource | undefined
  }
}

/**
 * Parses JSON bodies and no others; long ones in slices. An empty body counts as missing: many clients declare JSON on
 * every request.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const reader = jsonReader(app)
  app.decorateRequest('bodySource', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const refuse = (error: unknown) => done(isCompressed(request.headers) ? createCompressedFault() : (error as Error))
    const pause = selectPause(bytes.length)
    if (pause) return void readLongBody(reader, request, bytes, pause).then((value) => done(null, value), refuse)
    let value: unknown
    try {
      if (bytes.length > 0) value = readShortBody(reader, request, bytes)
    } catch (error) {
      return refuse(error)
    }
    done(null, value)
  })
}

function readShortBody(reader: JsonReader, request: FastifyRequest, sentBytes: Buffer): unknown {
  const { bytes, text } = decodeBody(request, sentBytes)
  const value = reader.readShort(text, request.routeOptions.config.exactFields)
  retainSource(request, bytes, text, { value, fields: undefined })
  return value
}

async function readLongBody(
  reader: JsonReader,
  request: FastifyRequest,
  sentBytes: Buffer,
  pause: Pause,
): Promise<unknown> {
  await pause()
  const { bytes, text } = decodeBody(request, sentBytes)
  await pause()
  const { key, maxBodyParts: maxParts, exactFields } = request.routeOptions.config
  const limits = { isStored: key === 'management', maxParts }
  const read = await runInSlices(reader.readLong(text, limits, exactFields), pause)
  retainSource(request, bytes, text, read)
  await pause()
  return read.value
}

/** Keeps the bytes of a body that its route passes on. */
function retainSource(request: FastifyRequest, bytes: Buffer, text: string, { value, fields }: ReadJson): void {
  // The options of the route come last, because Fastify builds them for each access.
  if (typeof value === 'object' && shouldRetainSource(bytes, fields) && request.routeOptions.config.keepsOriginalBody)
    request.bodySource = new JsonSource(value!, bytes, text)
}

/**
 * The bytes and the text of a body. Bodies that are passed on to providers have no half of a surrogate pair.
 * @throws Fault `invalid` for bytes that are not UTF-8.
 */
function decodeBody(request: FastifyRequest, bytes: Buffer): { bytes: Buffer; text: string } {
  if (!isUtf8(bytes)) throw new Fault('invalid', 'The body is not valid UTF-8: encode its JSON as UTF-8.')
  const text = decodeUtf8(bytes)
  if (!text.includes('\\u') || !request.routeOptions.config.keepsOriginalBody) return { bytes, text }
  const wellFormed = replaceLoneSurrogates(text)
  return wellFormed === text ? { bytes, text } : { bytes: Buffer.from(wellFormed), text: wellFormed }
}

/** Returns whether the headers declare compression. Only used for the error of an invalid body: some clients declare it wrongly. */
const isCompressed = ({ 'content-encoding': encoding }: IncomingHttpHeaders) =>
  encoding !== undefined && !/^\s*(identity)?\s*$/i.test(encoding)

const createCompressedFault = () =>
  new Fault(
    'invalid',
    'The body is compressed, as its header "content-encoding" says: send it as plain JSON, without that header.',
  )

/** A parsed body. `fields` is undefined if they were not counted. */
type ReadJson = { value: unknown; fields: LongJson['fields'] | undefined }

/** Parses the JSON of a body. @throws Fault if it is not valid JSON, nested too deeply, or has too many parts. */
type JsonReader = {
  readShort: (body: string, exactFields?: FieldFilter) => unknown
  readLong: (body: string, limits?: PartLimits, exactFields?: FieldFilter) => Steps<ReadJson>
}

export function jsonReader(app: FastifyInstance): JsonReader {
  const parse = app.getDefaultJsonParser('error', 'error')
  const parsePlain = (text: string) => (canContainForbidden(text) ? parseWithFramework(parse, text) : JSON.parse(text))
  const parseText = (text: string) => parseJson(text, parsePlain)
  const parseTextExactly = (text: string) =>
    parseJson(text, (plain) => {
      if (canContainForbidden(plain)) parseWithFramework(parse, plain)
      return parseExactly(plain.replace(/^\ufeff/, ''))
    })
  return {
    readShort(body, exactFields) {
      let value: unknown
      try {
        const isExact = exactFields !== undefined && hasLongNumber(body)
        value = isExact ? toTextOfExactFields(parseTextExactly(body), exactFields) : parseText(body)
      } catch {
        throw invalidJson(body)
      }
      refuseNull(value)
      checkValueDepth(body, value)
      return value
    },
    *readLong(body, limits = {}, exactFields) {
      try {
        const invalid = (position: number) => invalidNear(body, position)
        const isExact = exactFields !== undefined && hasLongNumber(body)
        const parse = isExact ? parseTextExactly : parseText
        const read = yield* parseInSteps(body, { parse, invalid, ...limits })
        if (isExact) toTextOfExactFields(read.value, exactFields)
        refuseNull(read.value)
        return read
      } catch (error) {
        throw error instanceof Fault ? error : invalidJson(body)
      }
    },
  }
}

/** The framework would treat null as a missing body. */
function refuseNull(value: unknown): void {
  if (value === null) throw new Fault('invalid', 'The body is null: it must be a JSON object.')
}

/**
 * Whether the text may contain a forbidden key or start with a byte order mark. Only the framework's parser handles
 * these.
 */
function canContainForbidden(body: string): boolean {
  return body.includes('__proto__') || body.includes('constructor') || body.includes('\\u') || body.startsWith('\ufeff')
}

/** The parser calls back synchronously and does not use the request. */
function parseWithFramework(parse: ReturnType<FastifyInstance['getDefaultJsonParser']>, body: string): unknown {
  let failed = false
  let value: unknown
  parse(undefined as unknown as FastifyRequest, body, (error, read) => {
    failed = error !== null
    value = read
  })
  if (failed) throw new SyntaxError('The text is not JSON, or has a forbidden key.')
  return value
}

const invalidJson = (body: string) => new Fault('invalid', `The body is not valid JSON${describePosition(body)}.`)

/**
 * Describes the position of the syntax error. The message repeats only one character of the body.
 */
function describePosition(body: string): string {
  try {
    JSON.parse(body)
    return ' (it has a forbidden key such as "__proto__")'
  } catch (error) {
    const { message } = error as Error
    const unexpected = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
    if (unexpected !== undefined)
      return `: it has an unexpected ${JSON.stringify(unexpected)}${positionOfUnexpected(body)}`
    const position = / at position (\d+)/.exec(message)?.[1]
    if (position === undefined) return ': it ends too early'
    return `: it breaks${lineAndColumn(body, Number(position))}`
  }
}

function lineAndColumn(body: string, position: number): string {
  let line = 1
  let lineStart = 0
  for (let end = body.indexOf('\n'); end !== -1 && end < position; end = body.indexOf('\n', lineStart)) {
    line++
    lineStart = end + 1
  }
  return ` at line ${line}, column ${position - lineStart + 1}`
}

/** The error for a long text, without the position. */
const invalidNear = (body: string, position: number) =>
  new Fault(
    'invalid',
    `The body is not valid JSON, or has a forbidden key: it breaks${lineAndColumn(body, position)} or after.`,
  )

/** Longer texts are not searched: it takes a dozen passes over the body. */
const maxSearched = 100_000

/** Finds an unexpected character whose position the engine does not report: the end of the longest valid prefix. */
function positionOfUnexpected(body: string): string {
  if (body.length > maxSearched) return ''
  let validEnd = 0
  let invalidEnd = body.length
  while (invalidEnd - validEnd > 1) {
    const middle = (validEnd + invalidEnd) >> 1
    if (hasUnexpected(body.slice(0, middle))) invalidEnd = middle
    else validEnd = middle
  }
  return lineAndColumn(body, validEnd)
}

function hasUnexpected(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return (error as Error).message.startsWith('Unexpected token ')
  }
}
