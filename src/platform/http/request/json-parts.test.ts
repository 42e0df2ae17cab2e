import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { runWithoutPauses, selectPause } from '../../async/long-work.ts'
import { Fault } from '../../core/fault.ts'
import { maxFields, maxParts } from '../../json/json-text/part-limits.ts'
import { z } from '../../json/schema.ts'
import { compilersFactory } from '../compilers.ts'
import { jsonReader } from './json-body.ts'
import { maxDepth, unlimitedLength } from './json-parts.ts'

const Item = z.looseObject({ type: z.string(), name: z.string(), size: z.number() })
const Body = z.looseObject({
  items: z.union([z.string(), z.array(Item)], { error: 'must be text or items' }).optional(),
  words: z.array(z.string()).optional(),
})
type Validate = (data: unknown) => { value?: unknown; error?: Error }
const validate: Validate = (
  compilersFactory as never as { buildValidator: () => (of: object) => Validate }
).buildValidator()({ schema: Body, httpPart: 'body' })

const reader = jsonReader(fastify())
const parse = (text: string): unknown =>
  selectPause(text.length) ? runWithoutPauses(reader.readLong(text)).value : reader.readShort(text)

const many = (part: string, count: number) => `[${Array(count).fill(part).join(',')}]`
const fielded = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}":[{}]`).join(',')}}`
const nested = (levels: number, length: number) =>
  `{"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"y":"${'z'.repeat(length)}"}`

function timeOf(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** A parser with quadratic time would take a thousand times as long. */
const most = 60

/**
 * The time to parse a 4 MiB body, relative to an ordinary body of that size. Takes the minimum of several tries if it
 * is high, because other processes use the machine too.
 */
function costOf(text: string): number {
  const ordinary = `{"words":${many(`"${'x'.repeat(40)}"`, 97_000)}}`
  const check = () => {
    try {
      validate(parse(text))
    } catch (fault) {
      assert.ok(fault instanceof Fault)
    }
  }
  let [own, others] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let tries = 0; tries < 3 || (tries < 20 && own >= most * others); tries++) {
    others = Math.min(
      others,
      timeOf(() => parse(ordinary)),
    )
    own = Math.min(own, timeOf(check))
  }
  return own / others
}

test('refusing a body of 4 MiB takes little longer than parsing it', () => {
  for (const count of [99_000, 1_300_000]) {
    for (const part of ['{}', '[]', '1 ', '{"type":1}']) {
      for (const field of ['items', 'words']) {
        const cost = costOf(`{"${field}":${many(part, count)}}`)
        assert.ok(cost < most, `${count} of ${part} as ${field} cost ${cost.toFixed(1)} times as much`)
      }
    }
  }
  assert.ok(costOf(`{"x":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`) < most)
})

test('a body may be as deep as is said, and no deeper', () => {
  for (const length of [0, 2000, unlimitedLength]) {
    assert.doesNotThrow(() => parse(nested(maxDepth, length)))
    assert.throws(() => parse(nested(maxDepth + 1, length)), { kind: 'invalid', message: /1000 levels deep/ })
  }
})

test('a body of more than 1 MiB may have as many parts as is said, and no more', () => {
  const long = (text: string) => text + ' '.repeat(unlimitedLength)
  for (const text of [many('1', maxParts), fielded(maxFields)]) assert.doesNotThrow(() => parse(long(text)))
  assert.throws(() => parse(long(many('1', maxParts + 1))), { kind: 'payload_too_large', message: /100000 items/ })
  assert.throws(() => parse(long(fielded(maxFields + 1))), { kind: 'payload_too_large', message: /20000 fields/ })
})

test('a body of up to 1 MiB may have any number of parts if it is not stored', () => {
  for (const text of [many('1', 524_000), many('{}', 349_000), fielded(70_000)]) {
    assert.ok(text.length <= unlimitedLength)
    assert.doesNotThrow(() => parse(text))
  }
})

test('a stored body of up to 1 MiB has any number of parts and limited objects', () => {
  const parseStored = (text: string) => runWithoutPauses(reader.readLong(text, { isStored: true })).value
  const padding = ' '.repeat(256 * 1024)
  for (const text of [many('1', 524_000), fielded(maxFields) + padding]) assert.doesNotThrow(() => parseStored(text))
  const tooLarge = fielded(maxFields + 1) + padding
  assert.ok(tooLarge.length <= unlimitedLength)
  assert.throws(() => parseStored(tooLarge), { kind: 'payload_too_large', message: /20000 fields/ })
})

test('the content of strings does not count as parts of a body', () => {
  const texts = ['[{,'.repeat(100_000), `\\"${'[,'.repeat(100_000)}`, `\\${'{'.repeat(5000)}\\`, '']
  assert.doesNotThrow(() => parse(JSON.stringify(texts)))
})

test('all errors of a body are reported, and the first one of a huge body', () => {
  const issuesOf = (count: number) => validate({ words: Array(count).fill(1) }).error?.message
  assert.match(issuesOf(7) ?? '', /words\[0\].*words\[4\].*\(and 2 more\)$/)
  assert.equal(issuesOf(20_000), 'Invalid request: words[0]: expected string, received number')
})
