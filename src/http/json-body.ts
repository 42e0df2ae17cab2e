import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '#lib/fault.ts'
import { excessOfText, excessOfValue } from './json-parts.ts'
import { withPlainNames } from './plain-names.ts'

/** Reads JSON bodies and no others. An empty one counts as none: many clients declare JSON on every request. */
export function parseJsonBodies(app: FastifyInstance): void {
  const read = jsonReader(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) => {
    let value: unknown
    try {
      if (body.length > 0) value = read(body)
    } catch (error) {
      return done(error as Error)
    }
    done(null, value)
  })
}

/** Gives the value of a body. It throws a fault for what is no JSON, or out of all proportion. */
export type JsonReader = (body: string) => unknown

export function jsonReader(app: FastifyInstance): JsonReader {
  const parse = app.getDefaultJsonParser('error', 'error')
  return (body) => {
    const excess = excessOfText(body)
    if (excess) throw excess
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
 * The place of the syntax error. The message repeats only one character of the body. The engine does not always report
 * a place.
 */
function whereIn(body: string): string {
  try {
    JSON.parse(body)
    return ' (it has a forbidden key such as "__proto__")'
  } catch (error) {
    const { message } = error as Error
    const unexpected = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
    if (unexpected !== undefined) return `: it has an unexpected ${JSON.stringify(unexpected)}`
    const position = / at position (\d+)/.exec(message)?.[1]
    if (position === undefined) return ': it ends too early'
    const before = body.slice(0, Number(position)).split('\n')
    return `: it breaks at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  }
}
