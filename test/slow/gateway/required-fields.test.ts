/**
 * Checks that the description and the service agree on the required fields of a body, and on those that can be null.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describeApi } from '#api/server/description.ts'
import { play, startForExamples } from '../../examples/play.ts'

type Schema = { $ref?: string; properties?: object }
type Operation = {
  security?: object[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

const document = describeApi() as Document
/** Rules that no schema of a body can express, because they depend on stored data. */
const storedDecides = ['patch /guardrails/{id} {"limit_usd":null}']
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'api')

test('a body without a required field, or with null, is refused as described', async () => {
  await using service = await startForExamples()
  const wrong: string[] = []
  let tried = 0
  await play(service, async ({ operation, body, ask }) => {
    if (typeof body !== 'object' || body === null) return
    const { allows, fields } = describedBody(operation)
    for (const changed of [...without(Object.keys(body), body), ...withNull(fields, body)]) {
      const requestText = `${operation} ${JSON.stringify(changed)}`
      if (storedDecides.includes(requestText)) continue
      const { status, text } = await ask(changed)
      tried += 1
      if ((status === 400) === allows(changed)) wrong.push(`${requestText}: ${status} ${text}`)
    }
  })
  assert.deepEqual(wrong, [])
  assert.ok(tried > 200, `${tried}`)
})

function describedBody(operation: string): { allows: ValidateFunction; fields: string[] } {
  const [method = '', path = ''] = operation.split(' ')
  const schema = document.paths[path]?.[method]?.requestBody?.content['application/json'].schema ?? {}
  const { properties = {} } = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema
  const pointer = `#/paths/${path.replaceAll('/', '~1')}/${method}/requestBody/content/application~1json/schema`
  return { allows: ajv.compile({ $ref: `api${encodeURI(pointer)}` }), fields: Object.keys(properties) }
}

function without(fields: string[], body: object): object[] {
  return fields.map((field) => Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)))
}

const withNull = (fields: string[], body: object): object[] => fields.map((field) => ({ ...body, [field]: null }))

test('null is not treated as a missing body', async () => {
  await using service = await startForExamples()
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, operation, path })),
  )
  for (const { method, operation, path } of operations) {
    if (!operation.requestBody?.content['application/json']) continue
    const isOpenToApiKeys = operation.security?.some((scheme) => 'api_key' in scheme) ?? true
    const key = isOpenToApiKeys ? service.apiKey : service.managementKey
    const { status } = await service.ask(method.toUpperCase(), path.replace(/\{\w+\}/g, '1'), { key, body: null })
    assert.equal(status, 400, `${method} ${path}`)
  }
})
