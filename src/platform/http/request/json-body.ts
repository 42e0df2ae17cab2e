import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Pause, pauseFor } from '../../async/long-work.ts'
import { Fault } from '../../core/fault.ts'
import { JsonSource, worthASource } from '../../json/json-source.ts'
import { utf8Of } from '../../text/text-of-bytes.ts'
import { excessOfText, excessOfValue } from './json-parts.ts'
import { withPlainNames } from './plain-names.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the request gets its `bodySource`. */
    keepsBody?: boolean
  }
  interface FastifyRequest {
    /** The bytes of a long body that its route keeps. */
    bodySource: JsonSource | undefined
  }
}

/**
 * Reads JSON bodies and no others, a long one in stages. An empty one counts as none: many clients declare JSON on every
 * request.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const read = jsonReader(app)
  app.decorateRequest('bodySource', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const refuse = (error: unknown) => done(isCompressed(request.headers) ? compressed() : (error as Error))
    const pause = pauseFor(bytes.length)
    if (pause) return void readLongBody(read, request, bytes, pause).then((value) => done(null, value), refuse)
    let value: unknown
    try {
      if (bytes.length > 0) value = readBody(read, request, bytes)
    } catch (error) {
      return refuse(error)
    }
    done(null, value)
  })
}

function readBody(read: JsonReader, request: FastifyRequest, bytes: Buffer): unknown {
  const text = textOfBody(bytes)
  const value = read(text)
  keepSource(request, value, bytes, text)
  return value
}

async function readLongBody(read: JsonReader, request: FastifyRequest, bytes: Buffer, pause: Pause): Promise<unknown> {
  const text = textOfBody(bytes)
  await pause()
  const value = read(text)
  keepSource(request, value, bytes, text)
  await pause()
  return value
}

function keepSource(request: FastifyRequest, value: unknown, bytes: Buffer, text: string): void {
  if (bytes.length < worthASource || typeof value !== 'object' || !request.routeOptions.config.keepsBody) return
  request.bodySource = new JsonSource(value!, bytes, text)
}

/** The text of a body. @throws Fault `invalid` for bytes that are not UTF-8, or if parsing would take too much memory or time. */
function textOfBody(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Fault('invalid', 'The body is not valid UTF-8: encode its JSON as UTF-8.')
  const text = utf8Of(bytes)
  const excess = excessOfText(text)
  if (excess) throw excess
  return text
}

/** Returns whether the headers declare compression. Only used for the error of an invalid body: some clients declare it wrongly. */
const isCompressed = ({ 'content-encoding': encoding }: IncomingHttpHeaders) =>
  encoding !== undefined && !/^\s*(identity)?\s*$/i.test(encoding)

const compressed = () =>
  new Fault(
    'invalid',
    'The body is compressed, as its header "content-encoding" says: send it as plain JSON, without that header.',
  )

/**
 * Gives the value of a body that is not excessive.
 * @throws Fault if it is not valid JSON, or nested too deeply.
 */
export type JsonReader = (body: string) => unknown

export function jsonReader(app: FastifyInstance): JsonReader {
  const parse = app.getDefaultJsonParser('error', 'error')
  return (body) => {
    const value = mayForbid(body) ? parsedWith(parse, body) : parsed(body)
    // The framework would take it for no body at all.
    if (value === null) throw new Fault('invalid', 'The body is null: it must be a JSON object.')
    const deep = excessOfValue(body, value)
    if (deep) throw deep
    return value
  }
}

/** Whether there may be a forbidden key, or a mark before the text, which only the framework's parser looks for. */
function mayForbid(body: string): boolean {
  return body.includes('__proto__') || body.includes('constructor') || body.includes('\\u') || body.startsWith('\ufeff')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalidJson(body)
  }
}

/** The parser calls back before it returns, and asks nothing of the request. */
function parsedWith(parse: ReturnType<FastifyInstance['getDefaultJsonParser']>, body: string): unknown {
  let failed = false
  let value: unknown
  parse(undefined as unknown as FastifyRequest, withPlainNames(body), (error, read) => {
    failed = error !== null
    value = read
  })
  if (failed) throw invalidJson(body)
  return value
}

const invalidJson = (body: string) => new Fault('invalid', `The body is not valid JSON${whereIn(body)}.`)

/**
 * The place of the syntax error. The message repeats only one character of the body.
 */
function whereIn(body: string): string {
  try {
    JSON.parse(body)
    return ' (it has a forbidden key such as "__proto__")'
  } catch (error) {
    const { message } = error as Error
    const unexpected = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
    if (unexpected !== undefined)
      return `: it has an unexpected ${JSON.stringify(unexpected)}${placeOfUnexpected(body)}`
    const position = / at position (\d+)/.exec(message)?.[1]
    if (position === undefined) return ': it ends too early'
    return `: it breaks${place(body, Number(position))}`
  }
}

function place(body: string, position: number): string {
  const before = body.slice(0, position).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** In longer texts nobody looks for it: it takes a dozen readings of the body. */
const longestSearched = 100_000

/** Finds an unexpected character, whose position the engine does not report: the end of the longest valid beginning. */
function placeOfUnexpected(body: string): string {
  if (body.length > longestSearched) return ''
  let sound = 0
  let broken = body.length
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1
    if (hasUnexpected(body.slice(0, middle))) broken = middle
    else sound = middle
  }
  return place(body, sound)
}

function hasUnexpected(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return (error as Error).message.startsWith('Unexpected token ')
  }
}
