/** Records the examples of the API description: calls each operation once and stores the response. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Examples } from '#platform/http/description/described-route.ts'
import { play, startForExamples } from './play.ts'

const written = fileURLToPath(new URL('../../src/api/server/examples.json', import.meta.url))

await using service = await startForExamples()
const examples: Examples = {}
await play(service, ({ operation, params, body }, reply) => {
  examples[operation] = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(body !== undefined && { body: withoutToken(body) }),
    ...(reply.body !== undefined && { response: withoutToken(shortened(reply.body)) }),
  }
})
writeFileSync(written, `${JSON.stringify(examples, null, 2)}\n`)

/** Shortens each list to one item, and masks keys. */
function shortened(value: any): any {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value === 'string') return value.replace(/^sb-v1-\w{60,}$/, 'sb-v1-…')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part)]))
}

/** Replaces JSON Web Tokens, which differ in each run. */
function withoutToken(value: unknown): any {
  return JSON.parse(
    JSON.stringify(value).replace(/"eyJ[\w-]+\.[\w-]+\.[\w-]+"/g, '"eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"'),
  )
}
