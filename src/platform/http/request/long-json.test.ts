import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Seeded } from '#test/harness/service/world/seeded.ts'
import { runWithoutPauses } from '../../async/long-work.ts'
import { parseInSteps } from './long-json.ts'

const read = (text: string, pieceLength: number) =>
  runWithoutPauses(
    parseInSteps(text, { parse: JSON.parse, invalid: (position) => new SyntaxError(`near ${position}`) }, pieceLength),
  )

const names = ['', 'a', 'b', '[{,:}]', 'ü🚂', 'word '.repeat(10)]
const strings = [...names, '"', '\\', '\\"', '\n']

function randomJson(seeded: Seeded, depth = 0): string {
  const space = () => seeded.pick(['', '', ' ', '\n\t'])
  const list = (item: () => string) => Array.from({ length: seeded.between(0, 6) }, item).join(`${space()},${space()}`)
  const kind = depth > 6 ? 0 : seeded.between(0, 4)
  const text = () => JSON.stringify(seeded.pick(strings))
  // Without escapes: `JSON.parse` sometimes confuses such names with others (`withPlainNames`).
  const name = () => JSON.stringify(seeded.pick(names))
  if (kind > 2) return `[${space()}${list(() => randomJson(seeded, depth + 1))}${space()}]`
  if (kind > 0)
    return `{${space()}${list(() => `${name()}${space()}:${space()}${randomJson(seeded, depth + 1)}`)}${space()}}`
  return seeded.pick([text(), text(), '1', '-1.5e3', 'true', 'null'])
}

/** Removes, doubles or swaps one character. */
function damaged(seeded: Seeded, text: string): string {
  const at = seeded.between(0, text.length - 1)
  const inserted = seeded.pick(['', text[at]!.repeat(2), ',', ']', '}', '[', '{', ':', '"', ' ', '1'])
  return text.slice(0, at) + inserted + text.slice(at + 1)
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

test('text parsed in pieces has the same value and errors as text parsed at once', () => {
  const seeded = new Seeded(27)
  let [valid, invalid] = [0, 0]
  for (let round = 0; round < 1500; round++) {
    const whole = randomJson(seeded)
    const text = round % 2 ? damaged(seeded, whole) : whole
    const pieceLength = seeded.pick([1, 5, 20])
    const expected = parsed(text)
    if (expected) {
      valid++
      assert.deepEqual(read(text, pieceLength).value, expected.value, `${pieceLength}: ${text}`)
    } else {
      invalid++
      assert.throws(() => read(text, pieceLength), SyntaxError, `${pieceLength}: ${text}`)
    }
  }
  assert.ok(valid > 750 && invalid > 250, `${valid} valid, ${invalid} invalid`)
})

test('a long text is parsed in many steps, and its fields are counted', () => {
  const items = Array.from({ length: 20_000 }, (_, at) => ({ id: at, text: `{"${at}":,`.repeat(8) }))
  const steps = parseInSteps(JSON.stringify({ items }), { parse: JSON.parse, invalid: () => new SyntaxError() })
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  assert.ok(count > 10, `${count}`)
  assert.deepEqual(step.value, { value: { items }, fields: 40_001 })
})
