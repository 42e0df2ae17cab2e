import type { FastifyInstance } from 'fastify'

/** All values of a form, by field name. */
export type FormBody = Record<string, string[]>

/** Reads the bodies that forms of pages send, and no others. */
export function parseForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const fields = new URLSearchParams(body)
      done(null, Object.fromEntries([...new Set(fields.keys())].map((name) => [name, fields.getAll(name)])))
    },
  )
}
