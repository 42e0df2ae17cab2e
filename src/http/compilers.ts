import type { FastifyServerOptions } from 'fastify'
import type { z } from 'zod'
import { invalidRequest } from './issues.ts'

type Factory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

function validatorOf({ schema, httpPart }: { schema: z.ZodType; httpPart?: string }) {
  return (data: unknown) => {
    // The framework says null where there is no body; a schema says undefined.
    const absent = httpPart === 'body' && data === null && schema.safeParse(undefined).success
    const parsed = schema.safeParse(absent ? undefined : data)
    return parsed.success ? { value: parsed.data } : { error: invalidRequest(parsed.error.issues) }
  }
}

/**
 * Routes validate with Zod, and write JSON as it is. Given when the server is made, so that it does not load the
 * validators it would bring itself.
 */
export const compilersFactory = {
  buildValidator: () => validatorOf,
  buildSerializer: () => () => JSON.stringify,
} as unknown as Factory
