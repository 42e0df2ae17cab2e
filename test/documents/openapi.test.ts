import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { routes } from '#api/routes/routes.ts'
import { describeApi } from '#api/server/description.ts'
import examples from '#api/server/examples.json' with { type: 'json' }
import type { Examples } from '#platform/http/description/described-route.ts'
import { startTestService } from '../harness/service/service.ts'

const checkedIn = fileURLToPath(new URL('../../openapi.json', import.meta.url))

type Media = Record<string, { schema: object; example?: unknown }>
type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security: object[]
  parameters: {
    in: string
    name: string
    example?: string
    schema: { type?: string; maximum?: number; default?: unknown }
  }[]
  requestBody?: { required: boolean; content: Media }
  responses: Record<string, { content?: Media }>
}
type Document = {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, unknown>
    securitySchemes: Record<string, { in?: string; name?: string }>
  }
}
const document = JSON.parse(JSON.stringify(describeApi())) as Document
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

test('the description of the API is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors))
})

test('openapi.json in the repository is fresh: "npm run openapi" writes it', () => {
  const fresh = existsSync(checkedIn) && isDeepStrictEqual(JSON.parse(readFileSync(checkedIn, 'utf8')), document)
  assert.ok(fresh, 'openapi.json is stale: run "npm run openapi"')
})

test('the service serves the same description', async () => {
  await using service = await startTestService()
  assert.deepEqual((await service.ask('GET', '/openapi.json', { key: null })).body, document)
})

test('an operation’s id is a verb of its method and an object', () => {
  const verbs: { [method: string]: RegExp } = {
    get: /^(get|list|count|retrieve)[A-Z]/,
    post: /^(create|add|save|assign|unassign|designate|provision|suspend|cancel|move|giveUp|rotate|test|retry|query|replay|preview|release|try|reload|chat|count|rename|bulkAdd|bulkRemove)[A-Z]/,
    put: /^(write|set)[A-Z]/,
    patch: /^update[A-Z]/,
    delete: /^(delete|remove)[A-Z]/,
  }
  for (const path of Object.values(document.paths))
    for (const [method, { operationId = '' }] of Object.entries(path)) {
      assert.match(operationId, verbs[method]!, method)
      assert.doesNotMatch(operationId, /One|^listAll|Byok/)
    }
})

test('every operation has a unique id, a summary and a described tag', () => {
  const ids = operations.map((operation) => operation.operationId)
  assert.equal(new Set(ids).size, operations.length)
  const tags = document.tags.map((tag) => tag.name)
  for (const { operationId, summary, tags: own } of operations) {
    assert.ok(operationId && summary && own?.every((tag) => tags.includes(tag)), String(operationId))
  }
})

test('every named schema is used, and every reference leads somewhere', () => {
  const text = JSON.stringify(document)
  const used = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name))
  assert.deepEqual([...used].sort(), Object.keys(document.components.schemas).sort())
})

const succeeding = ({ responses }: Operation): Media =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}

test('a session has the access of a key, and writes also need its token', () => {
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { security }] of Object.entries(operations)) {
      const session = method === 'get' ? { browser_session: [] } : { browser_session: [], csrf_token: [] }
      const expected = security.length === 0 ? [] : [session]
      assert.deepEqual(
        security.filter((one) => 'browser_session' in one),
        expected,
        `${method} ${path}`,
      )
    }
  const { browser_session, csrf_token } = document.components.securitySchemes
  assert.deepEqual([browser_session?.in, browser_session?.name], ['cookie', 'signalbox_session'])
  assert.deepEqual([csrf_token?.in, csrf_token?.name], ['header', 'x-csrf-token'])
})

test('every operation has a description, and examples of request and response', () => {
  const lacking = operations.filter((operation) => {
    const { 'application/json': json } = succeeding(operation)
    const { 'application/json': body } = operation.requestBody?.content ?? {}
    const isCalled = operation.parameters.every((one) => one.in !== 'path' || one.example !== undefined)
    // Bytes have no example.
    const isSent = !operation.requestBody?.required || !body || body.example !== undefined
    return !operation.description || !isCalled || !isSent || (json !== undefined && json.example === undefined)
  })
  assert.deepEqual(
    lacking.map(({ operationId }) => operationId),
    [],
  )
})

test('the examples are of the form that is described', () => {
  for (const route of routes.filter(({ hidden }) => !hidden)) {
    const { body, response } = (examples as Examples)[`${route.method} ${route.path}`] ?? {}
    const where = `${route.method} ${route.path}`
    if (body !== undefined) assert.deepEqual(route.request?.body.safeParse(body).error, undefined, where)
    if (response !== undefined) assert.deepEqual(route.response?.safeParse(response).error, undefined, where)
  }
})

test('a body is required where nothing is not enough, and only there', () => {
  const optional = operations.filter(({ requestBody }) => requestBody?.required === false)
  const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, one]) => (optional.includes(one) ? [`${method} ${path}`] : [])),
  )
  assert.deepEqual(paths, [
    'post /generations/release',
    'post /catalogue/reload',
    'delete /interns/{internId}',
    'post /interns/{internId}/provision',
    'post /interns/{internId}/suspend',
    'post /interns/{internId}/give-up',
    'post /interns/{internId}/runs/{runId}/cancel',
    'post /presets/{slug}/versions/{version}/designate',
    'post /webhooks/{webhookId}/test',
    'post /webhooks/{webhookId}/deliveries/{deliveryId}/retry',
    'post /organization/intern-hosts/{host}/give-up',
  ])
})

test('every route documents the errors that precede its handler', () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const before = path.startsWith('/interns') ? ['401', '403', '404'] : []
      for (const status of requestBody ? [...before, '400', '413'] : before)
        assert.ok(status in responses, `${method} ${path}: ${status}`)
    }
})

test('streaming operations describe their events', () => {
  const streaming = operations.map((operation) => succeeding(operation)['text/event-stream']).filter(Boolean)
  assert.ok(streaming.length >= 4)
  for (const media of streaming) assert.ok('$ref' in media!.schema)
})

test('the default page of each list is documented', () => {
  const limits = operations.flatMap(({ operationId, parameters }) =>
    parameters.filter(({ name }) => name === 'limit').map(({ schema }) => ({ operationId, schema })),
  )
  // Of models all are answered, and of keys all with the given hashes.
  const pages = limits.filter(({ operationId }) => !/models|^listKeys$/i.test(operationId!))
  assert.ok(pages.length > 15)
  for (const { operationId, schema } of pages) assert.equal(typeof schema.default, 'number', operationId!)
})

test('whole numbers of queries have bounds', () => {
  const numbers = operations.flatMap(({ parameters }) => parameters.filter(({ schema }) => schema.type === 'integer'))
  assert.ok(numbers.length > 10)
  for (const { name, schema } of numbers) assert.ok(schema.maximum !== undefined, name)
})
