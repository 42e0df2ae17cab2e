import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from '@babel/parser'
import { equivalents } from './equivalents.ts'
import { mutantsOf } from './mutants.ts'

const mutationsOf = (source: string) =>
  mutantsOf('a.ts', source).map(({ start, end, to }) => source.slice(0, start) + to + source.slice(end))

test('operators, conditions and literals are changed, one at a time', () => {
  assert.deepEqual(mutationsOf('const a = b < 1'), ['const a = b <= 1', 'const a = b >= 1', 'const a = b < 2'])
  assert.deepEqual(mutationsOf('if (a) b()'), ['if (true) b()', 'if (false) b()', 'if (a) {}'])
  assert.deepEqual(mutationsOf('const a = b.filter(c)'), ['const a = b'])
})

test('bracketed code stays bracketed, and destructured names are unchanged', () => {
  assert.deepEqual(mutationsOf('a = (b - c) / d'), ['{}', 'a = (b - c) * d', 'a = (b + c) / d'])
  assert.deepEqual(mutationsOf('x(a ?? (b && c))'), ['{}', 'x(((a) && (b && c)))', 'x(a ?? (((b) || (c))))'])
  assert.deepEqual(mutationsOf('const { a: b, ...c } = d'), [])
  assert.deepEqual(mutationsOf('const { a: b = true } = d'), ['const { a: b = false } = d'])
})

test('types are unchanged, and every mutant can be parsed', () => {
  assert.deepEqual(mutationsOf("type A = { a: true; b: 1 }\nimport { c } from 'd'\ninterface E { f: 2 }"), [])
  const source = 'function f(a: 1 | 2): boolean { const b = { c: !a, ...d }; return [...b.e, true].length > 0 && !b }'
  assert.ok(mutationsOf(source).length > 8)
  for (const mutant of mutationsOf(source)) parse(mutant, { sourceType: 'module', plugins: ['typescript'] })
})

for (const { file, line, from, to } of equivalents)
  test(`each equivalent mutant exists in the code: ${file}: ${from} → ${to}`, () => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    const lines = source.split('\n').map((each) => each.trim())
    const there = (one: { line: number; from: string; to: string }) =>
      lines[one.line - 1] === line && one.from === from && one.to === to
    assert.ok(mutantsOf(file, source).some(there))
  })
