import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { busyMs } from '#test/harness/until.ts'
import { compileCustomPattern } from './custom-pattern.ts'
import { isProvenLinear } from './linearity-proof.ts'
import { sourceOf } from './pattern-source.ts'
import { parsePattern } from './pattern-syntax.ts'

const engineOf = (pattern: string) => compileCustomPattern(pattern).engine

test('common patterns run on the fast engine', () => {
  const patterns = [
    '\\bEMP-\\d{6}\\b',
    '(?i)project\\s+x',
    'foo|bar|baz',
    '"[^"]*"',
    '\\b[a-z]+@corp\\.com',
    '(?m)^key: .*$',
    '\\bcust_\\w+',
    '(?i)\\b(?:internal use only|strictly confidential|do not distribute|attorney.client privileged)\\b',
  ]
  assert.deepEqual(
    patterns.filter((pattern) => engineOf(pattern) !== 'fast'),
    [],
  )
})

test('a pattern that could backtrack superlinearly runs on the linear engine', () => {
  const patterns = [
    ...['(a+)+$', '(a|a)*b', '(a|aa)+c', '(?:x?){30}y', '(a?b?)*c', '([a-z]+)*Z', '(.*)(.*)END'],
    // Quadratic only because the engine tries every position as a start.
    ...['[a-z]+@corp', 'secret\\w+X', 'a*b', '(?s)BEGIN.*END', '\\s+$'],
  ]
  assert.deepEqual(
    patterns.filter((pattern) => engineOf(pattern) !== 'linear'),
    [],
  )
})

test('patterns with different meaning per engine run on the linear engine', () => {
  const patterns = ['\\p{L}x', '(?i)é', '\\Qa.b\\E', '(?U)a+x']
  assert.deepEqual(
    patterns.filter((pattern) => engineOf(pattern) !== 'linear'),
    [],
  )
})

const atom = fc.constantFrom(
  'a',
  'b',
  'k',
  'S',
  '.',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '[a-c]',
  '[^a]',
  '[^\\n]',
  '[[:alpha:]]',
  '😀',
  '\\.',
  '-',
  '_',
  '\\x41',
  '[😀k]',
  '\\n',
  ' ',
)
const edge = fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z')
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '??')
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: fc.tuple(atom, quantifier).map(([a, q]) => a + q) },
    { weight: 1, arbitrary: edge },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?<n>', '(?s-m:', '(?m:'), tie('pattern'), quantifier)
        .map(([open, p, q]) => `${open}${p})${q}`),
    },
    { weight: 1, arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`) },
  ),
  pattern: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
}))
const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'A',
      'k',
      'K',
      '\u212a',
      's',
      'S',
      'ſ',
      '1',
      '_',
      '-',
      '.',
      ' ',
      '\n',
      '\r',
      '\u2028',
      '😀',
      'é',
      '\ud83d',
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

test('both engines find the same wherever the fast one may run', () => {
  let fast = 0
  const property = fc.property(
    fc.tuple(fc.constantFrom('', '(?i)', '(?s)', '(?m)'), pattern),
    text,
    ([flags, body], text) => {
      const source = flags + body
      let reference: RE2JS
      try {
        reference = RE2JS.compile(source)
      } catch {
        return
      }
      const { engine, find } = compileCustomPattern(source)
      if (engine === 'linear') return
      fast++
      const matcher = reference.matcher(text)
      const expected: { start: number; end: number }[] = []
      while (matcher.find())
        if (matcher.end() > matcher.start()) expected.push({ start: matcher.start(), end: matcher.end() })
      assert.deepEqual(find(text), expected, source)
    },
  )
  fc.assert(property, { numRuns: 6000 })
  assert.ok(fast > 1000, `only ${fast} of them ran on the fast engine`)
})

test('no proven pattern takes more than linear time on texts made from itself', () => {
  const sample = fc.sample(pattern, { numRuns: 800, seed: 7 }).filter((source) => {
    const read = parsePattern(source)
    return read && isProvenLinear(read)
  })
  assert.ok(sample.length > 50)
  for (const source of sample) {
    const regex = new RegExp(sourceOf(parsePattern(source)!), 'gu')
    for (const unit of ['a', 'ab', 'a ', '1', 'k_', '😀', '-\n']) {
      const took = busyMs(() => {
        for (const _ of unit.repeat(20_000 / unit.length).matchAll(regex));
      })
      assert.ok(took < 500, `${source} took ${took} ms`)
    }
  }
})
