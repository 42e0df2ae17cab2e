import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { z } from '#platform/json/schema.ts'
import { routes } from './routes.ts'

/** Specified without a rule for unknown parameters, as all requests of clients. */
const lenient = new Set(['/presets/{slug}/responses'])

test('a route that changes something refuses unknown query parameters', () => {
  for (const { method, path, request } of routes) {
    const query = (request as { query?: z.ZodType } | undefined)?.query
    if (method === 'get' || !query || lenient.has(path)) continue
    const { error } = query.safeParse({ misspelled: 'x' })
    assert.ok(
      error?.issues.some(({ code }) => code === 'unrecognized_keys'),
      `${method} ${path}`,
    )
  }
})
