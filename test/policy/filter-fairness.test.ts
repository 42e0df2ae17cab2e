import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'

const slugs = ['email', 'phone', 'ssn', 'credit-card', 'ip-address', 'secrets']
const sentence = 'The committee met in Building 7 and wrote to jane@example.com about order 4512-99812. '

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service?.[Symbol.asyncDispose]())

const createObject = async (path: string, body: object) => (await service.manage('POST', path, body)).body

/** A workspace under six redacting filters, and a key of it. */
async function filteredWorkspace(slug: string) {
  const { id, default_guardrail_id } = (await createObject('/workspaces', { name: slug, slug })).data
  const content_filter_builtins = slugs.map((filter) => ({ slug: filter, action: 'redact' }))
  const path = `/guardrails/${default_guardrail_id}`
  assert.equal((await service.manage('PATCH', path, { content_filter_builtins })).status, 200)
  return { newKey: () => createObject('/keys', { name: 'k', workspace_id: id }) }
}

const prompt = (kilobytes: number) => sentence.repeat((kilobytes * 1024) / sentence.length)

function complete(key: string, kilobytes: number, signal?: AbortSignal): Promise<Response> {
  return fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: prompt(kilobytes) }] }),
    ...(signal && { signal }),
  })
}

test('long prompts of one workspace do not delay those of another until the last', async () => {
  const [busy, quiet] = [await filteredWorkspace('busy'), await filteredWorkspace('quiet')]
  const [one, other] = [(await busy.newKey()).key, (await quiet.newKey()).key]
  await Promise.all([complete(one, 100), complete(other, 100)])
  const finished: string[] = []
  const send = async (name: string, key: string, kilobytes: number) => {
    // Filters look at a prompt before it is found to be too long for the model.
    assert.equal((await complete(key, kilobytes)).status, name === 'short' ? 200 : 400)
    finished.push(name)
  }
  await Promise.all([...Array.from({ length: 12 }, () => send('long', one, 1000)), send('short', other, 22)])
  assert.ok(finished.indexOf('short') < 6, finished.join(' '))
})

test('a prompt waits for filters until its key ends, and is refused in a full queue', async () => {
  const { newKey } = await filteredWorkspace('lab')
  const { key, data } = await newKey()
  const waiting = Array.from({ length: 100 }, () => complete(key, 1000))
  const statuses = Promise.all(waiting.map(async (response) => (await response).status))
  const refused = await Promise.race(
    waiting.map(async (response) => ((await response).status === 429 ? await response : new Promise<never>(() => {}))),
  )
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.match(
    ((await refused.json()) as { error: { message: string } }).error.message,
    /already wait for content filters/,
  )
  await service.manage('PATCH', `/keys/${data.hash}`, { disabled: true })
  const count = Map.groupBy(await statuses, (status) => status)
  assert.ok((count.get(401)?.length ?? 0) >= 20, JSON.stringify([...count.keys()]))
})
