import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runWithoutPauses } from '../../async/long-work.ts'
import { serializeInSteps } from './json-steps.ts'

const many = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at))
const values: unknown[] = [
  ...[null, 'ü"\n', 1, [], {}, { a: undefined }, [undefined, { b: undefined, c: [] }]],
  many(5000, (at) => ({ role: 'user', content: `"${at}"`, name: undefined })),
  Object.fromEntries(many(3000, (at) => [`"ü${at}`, at % 3 ? [at] : undefined])),
  { messages: [{ content: many(3000, () => ({ type: 'text', text: '🚂'.repeat(50) })) }, null], first: { a: 1 } },
  JSON.parse(`${'[1,{"a":'.repeat(400)}[${many(3000, String)}]${'}]'.repeat(400)}`),
]

test('a value written in steps equals JSON.stringify', () => {
  for (const value of values)
    assert.equal(Buffer.concat(runWithoutPauses(serializeInSteps(value))).toString(), JSON.stringify(value))
})

test('a long value is written in many steps, at any depth', () => {
  let count = 0
  for (const steps = serializeInSteps(values.at(-2)); !steps.next().done; ) count++
  assert.ok(count > 10, `${count}`)
})
