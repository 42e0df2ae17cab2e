import type { FastifyInstance } from 'fastify'
import { Fault } from '#lib/fault.ts'
import { excessOfText, excessOfValue } from './json-parts.ts'

/** Reads JSON bodies and no others. An empty one counts as none: many clients declare JSON on every request. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    const excess = excessOfText(body)
    if (excess) return done(excess)
    parse(request, body, (error, value) => {
      if (error) done(new Fault('invalid', `The body is not valid JSON${whereIn(body)}.`))
      // The framework would take it for no body at all.
      else if (value === null) done(new Fault('invalid', 'The body is null: it must be a JSON object.'))
      else done(excessOfValue(body, value) ?? null, value)
    })
  })
}

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
