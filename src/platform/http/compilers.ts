import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import type { z } from 'zod'
import { invalidRequest } from './description/issues.ts'

type Factory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

function createValidator({ schema, httpPart }: { schema: z.ZodType; httpPart?: string }) {
  return (data: unknown) => {
    // The framework passes null for a missing body; a schema expects undefined.
    const isAbsent = httpPart === 'body' && data === null && schema.safeParse(undefined).success
    const parsed = parseWith(schema, isAbsent ? undefined : data)
    return parsed.success ? { value: parsed.data } : { error: invalidRequest(parsed.error.issues) }
  }
}

/** Compiles the schema of a body. Its route gets the body as it was sent instead of the copy that the schema makes. */
export const validatorKeepingBody = (isCertainlyValid: ((body: unknown) => boolean) | undefined) =>
  (({ schema }: { schema: z.ZodType }) =>
    (body: unknown) => {
      if (isCertainlyValid?.(body)) return { value: body }
      const parsed = parseWith(schema, body)
      return parsed.success ? { value: body } : { error: invalidRequest(parsed.error.issues) }
    }) as unknown as FastifySchemaCompiler<unknown>

/** A body with more parts than this is checked up to its first error only: each further error costs time. */
const maxPartsExplained = 10_000

/** Zod's option to stop at the first issue. A million invalid items would cause a million issues. */
const stopEarly: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

/** Reports all errors of a small value, and only the first one of a large value. */
export function parseWith(schema: z.ZodType, data: unknown) {
  const parsed = schema.safeParse(data, stopEarly)
  return parsed.success || hasMoreParts(data, maxPartsExplained) ? parsed : schema.safeParse(data)
}

function hasMoreParts(data: unknown, max: number): boolean {
  const pending = [data]
  for (let index = 0; pending.length > 0; index++) {
    if (index + pending.length > max) return true
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) continue
    const parts = Object.values(next)
    if (parts.length > max) return true
    pending.push(...parts)
  }
  return false
}

/**
 * Routes validate with Zod and serialize JSON without a schema. Set when the server is created, so that the framework
 * does not load its default validators.
 */
export const compilersFactory = {
  buildValidator: () => createValidator,
  buildSerializer: () => () => JSON.stringify,
} as unknown as Factory
