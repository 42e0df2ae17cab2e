/** Writes the examples of the API's description: each operation is called once, and what it answered is kept. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeApi } from '#api/description.ts'
import type { Examples } from '#http/openapi.ts'
import { runningIntern } from '../harness/interns.ts'
import { startTestService } from '../harness/service.ts'
import { type Kept, steps } from './steps.ts'

const written = fileURLToPath(new URL('../../src/api/examples.json', import.meta.url))

type Described = { paths: Record<string, Record<string, { security: Record<string, []>[] }>> }
const { paths } = describeApi() as Described

await using service = await startTestService({ variables: { OPENAI_API_KEY: 'sk-of-no-use' } })
const kept: Kept = { user: (await service.manage('GET', '/organization/members')).body.data[0].id }
const examples: Examples = {}
for (const { operation, params = {}, query = '', body, keep } of steps) {
  const [method = '', path = ''] = operation.split(' ')
  const filled = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, from(value)]))
  const sent = JSON.parse(JSON.stringify(body ?? null), (_, value) => from(value))
  const target = path.replace(/\{(\w+)\}/g, (_, name) => filled[name])
  const isManagement = paths[path]?.[method]?.security.every((one) => 'management_key' in one) ?? true
  const key = isManagement ? service.managementKey : service.apiKey
  const asked = query.replace(/\$(\w+)/, (_, name) => kept[name] ?? '')
  const reply = await service.ask(method.toUpperCase(), target + asked, {
    key,
    ...(body !== undefined && { body: sent }),
  })
  if (reply.status > 299) throw new Error(`${operation}: ${reply.text}`)
  if (keep) Object.assign(kept, keep(reply.body))
  if (operation === 'post /interns') await runningIntern(service, { name: 'bob' })
  examples[operation] = {
    ...(Object.keys(filled).length > 0 && { params: filled }),
    ...(body !== undefined && { body: sent }),
    ...(reply.body !== undefined && { answer: shortened(reply.body) }),
  }
}
writeFileSync(written, `${JSON.stringify(examples, null, 2)}\n`)
await service.stop()

/** `$name` stands for what an earlier step kept. */
function from(value: any): any {
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  return kept[value.slice(1)] ?? value
}

/** One item of each list is enough, and nobody's key is shown. */
function shortened(value: any): any {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value === 'string') return value.replace(/^sb-v1-\w{60,}$/, 'sb-v1-…')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part)]))
}
