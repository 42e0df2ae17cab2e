import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResponseDescriptions } from '../harness/service/response-descriptions.ts'

const id = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const open = { ...id, additionalProperties: {} }
const json = (schema: object) => ({ headers: { etag: {} }, content: { 'application/json': { schema } } })
const responses = {
  200: json({ type: 'object', properties: { closed: id, open: { $ref: '#/components/schemas/Open' } } }),
}
const descriptions = createResponseDescriptions(
  { paths: { '/x': { get: { tags: [], responses } } }, components: { responses: {}, schemas: { Open: open } } },
  (path) => path,
)

function faultsOf(status: number, headers: Record<string, string>, body: object) {
  const response = { status, headers: new Headers({ 'content-type': 'application/json', ...headers }) }
  return descriptions.get('GET /x')!.listFaults({ ...response, body: JSON.stringify(body) })
}

test('fields, headers and statuses that are not described are faults', () => {
  assert.deepEqual(faultsOf(200, { etag: '"a"' }, { closed: { id: 'a' }, open: { id: 'a', more: 1 } }), [])
  const parts = (...given: Parameters<typeof faultsOf>) => faultsOf(...given).map(({ part }) => part)
  assert.deepEqual(parts(200, {}, { closed: { id: 'a', more: 1 } }), ['body'])
  assert.deepEqual(parts(200, {}, { open: { more: 1 } }), ['body'])
  assert.deepEqual(parts(200, { 'x-more': '1' }, {}), ['headers'])
  assert.deepEqual(parts(201, {}, {}), ['status'])
})
