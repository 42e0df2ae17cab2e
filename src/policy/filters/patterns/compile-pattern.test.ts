import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { busyMs } from '#test/harness/until.ts'
import { compilePattern } from './compile-pattern.ts'
import { estimateSize } from './pattern-size.ts'

const refusal = (pattern: string) => {
  const compiled = compilePattern(pattern)
  return 'refusal' in compiled ? compiled.refusal : undefined
}

test('common filter patterns compile, with inline flags', () => {
  for (const pattern of [
    '\\bsecret-\\d{4}\\b',
    '(?i)project\\s+x',
    '(?s)a.*b',
    '[\\p{L}\\p{N}]+@corp',
    '(?<id>x)|y',
    '😀+',
  ]) {
    assert.equal(refusal(pattern), undefined, pattern)
  }
})

test('backtracking syntax is refused by name', () => {
  const expected: [pattern: string, reason: RegExp][] = [
    ['(?=a)b', /look-around \(\(\?=\) is not supported/],
    ['a(?!b)', /look-around \(\(\?!\)/],
    ['(?<=a)b', /look-around \(\(\?<=\)/],
    ['(?<!a)b', /look-around \(\(\?<!\)/],
    ['(a)\\1', /back-references \(\\1\) are not supported/],
    ['(?<n>a)\\k<n>', /back-references \(\\k\)/],
    ['(?P<n>a)(?P=n)', /back-references \(\(\?P=\)/],
    ['(?>a)', /linear-time engine \(RE2 syntax\) can run: invalid or unsupported Perl syntax: \(\?>/],
    ['a++', /invalid nested repetition operator/],
  ]
  for (const [pattern, reason] of expected) assert.match(refusal(pattern) ?? '', reason)
})

test('a broken pattern is refused with the engine’s reason', () => {
  const reasons = ['[a', '(a', 'a)', '*', '\\', 'a{2,1}'].map(refusal)
  assert.match(reasons.join('\n'), /missing closing ].*\n.*missing closing \).*\n.*unexpected \).*\n.*missing argument/)
  assert.ok(reasons.every((reason) => reason))
})

test('a pattern that would stall the service is refused at once', () => {
  const hostile = [
    '(a{1000}){1000}',
    'a{1000}'.repeat(1000),
    '\\pL{1000}'.repeat(1000),
    '(?:abcdefghij){1000}'.repeat(400),
    `(?i)[${'\\pL'.repeat(3300)}]`,
    '\\Qa\\E{1000}'.repeat(900),
    '('.repeat(5000),
    '['.repeat(10_000),
    '[[:'.repeat(3333),
  ]
  for (const pattern of hostile) {
    const took = busyMs(() => assert.ok(refusal(pattern), `${pattern.slice(0, 20)} was taken`))
    assert.ok(took < 400, `${pattern.slice(0, 20)} took too long to refuse`)
  }
})

test('ten thousand ordinary characters are not too large', () => {
  for (const pattern of ['a'.repeat(10_000), '(?i)'.padEnd(10_000, 'a?'), '(a)'.repeat(3333), 'word|'.repeat(1999)]) {
    assert.equal(refusal(pattern), undefined, pattern.slice(0, 10))
  }
})

test('the size estimate is exact enough to keep expensive patterns uncompiled', () => {
  const bodies = [
    'a',
    '[a-z]',
    '[]a]',
    '[^\\]a]',
    '[[:alpha:]]',
    '\\d',
    '\\x{61}',
    '\\pL',
    '.',
    '(?:ab)',
    '(?<n>a',
    '\\Qa\\E',
  ]
  for (const body of bodies) {
    const pattern = body === '(?<n>a' ? '(?<n>a{900})' : `${body}{900}`
    const [estimated, real] = [estimateSize(pattern), RE2JS.compile(pattern).programSize()]
    assert.ok(estimated > real / 2 && estimated < real * 2.5, `${pattern}: ${estimated} for ${real}`)
  }
})
