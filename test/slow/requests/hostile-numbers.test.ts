import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { onEachDatabase } from '../../harness/database/databases.ts'
import { startTestService } from '../../harness/service/service.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'

type Parameter = { in: string; name: string; schema: object }
type Operation = { parameters?: Parameter[] }

const { paths } = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, { get?: Operation }>
}

/** Paths whose parameters in the path name nothing, or a model. Event streams do not end. */
const isReadable = (path: string) => !path.includes('events')

const values = [
  '1e308',
  '1e309',
  '-1e308',
  '-0',
  '1e-320',
  '0.1',
  '1.5',
  '1e21',
  '9007199254740993',
  '9007199254740991',
]
const integers = ['4294967296', '9223372036854775808', '99999999999999999999', '-1', 'NaN', 'Infinity', '']

/** Every numeric parameter of every GET operation, as `path?name=`. */
const parameters = Object.entries(paths).flatMap(([path, { get }]) =>
  (get?.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && /"(number|integer)"/.test(JSON.stringify(parameter.schema)))
    .map(({ name }) => `${path.replace('{author}', 'signalbox').replaceAll(/\{\w+\}/g, 'demo')}?${name}=`)
    .filter(isReadable),
)

onEachDatabase('hostile numbers', (kind) => {
  test('no number in a query makes the response a server error', async () => {
    await using service = await startTestService({ kind })
    assert.ok(parameters.length > 50, `only ${parameters.length} numeric parameters`)
    const failed: string[] = []
    for (const parameter of parameters)
      for (const value of [...values, ...integers]) {
        const { status } = await service.manage('GET', parameter + value)
        if (status >= 500) failed.push(`${parameter}${value}: ${status}`)
      }
    assert.deepEqual(failed, [])
  })

  test('bounds of the request log include fractions and sums beyond the column', async () => {
    await using service = await startTestService({ kind })
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
    const { headers } = await service.ask('POST', '/chat/completions', { body })
    const { id, generation_time } = await untilMetered(service, headers.get('x-generation-id'))
    const found = async (query: string) => {
      const response = await service.ask('GET', `/generations?${query}`)
      return response.body.data?.map((one: { id: string }) => one.id)
    }
    const [below, above] = [generation_time - 0.5, generation_time + 0.5]
    const included = [`max_generation_time=${above}`, `min_generation_time=${Math.max(0, below)}`, 'max_cost=1e15']
    for (const query of included) assert.deepEqual(await found(query), [id], query)
    for (const query of [`min_generation_time=${above}`, 'min_cost=1e15'])
      assert.deepEqual(await found(query), [], query)
  })
})
