import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../core/fault.ts'

/** All values of a form, by field name. */
export type FormBody = Record<string, string[]>

/** Parses bodies of HTML forms, and no others. */
export function parseForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body, done) => {
      if (!isUtf8(body)) return done(new Fault('invalid', 'The body is not valid UTF-8.'))
      const fields = new URLSearchParams(body.toString())
      done(null, Object.fromEntries([...new Set(fields.keys())].map((name) => [name, fields.getAll(name)])))
    },
  )
}
