import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPythonCalls } from './python-calls.ts'
import { textCallFormats } from './text-call-formats.ts'
import { TextCallSplitter } from './text-call-splitter.ts'

/** The arguments of `f`, called with this literal of Python as `x`. */
const argumentsOf = (literal: string) => readPythonCalls(`[f(x=${literal})]`)?.[0]?.arguments

const literals: [literal: string, json: string][] = [
  ['"Paris"', '"Paris"'],
  [String.raw`'it\'s "x"'`, JSON.stringify(`it's "x"`)],
  [`'''a\n'b' "c"'''`, JSON.stringify(`a\n'b' "c"`)],
  [`"" 'a' "b"`, '"ab"'],
  [String.raw`"\n\x41é\U0001F600\101\q\\"`, JSON.stringify('\nAé\u{1F600}A\\q\\')],
  [String.raw`r"\d\""`, JSON.stringify('\\d\\"')],
  [String.raw`"\ud83d\ude00"`, JSON.stringify('\u{1F600}')],
  ['"a], g(y=1)"', '"a], g(y=1)"'],
  ['-3', '-3'],
  ['+1_000', '1000'],
  ['12345678901234567890', '12345678901234567890'],
  ['0x1F', '31'],
  ['-0b11', '-3'],
  ['.5', '0.5'],
  ['1.', '1.0'],
  ['01.50', '1.50'],
  ['2.5e-3', '2.5e-3'],
  ['[1, [2,],]', '[1,[2]]'],
  ['(1, "a")', '[1,"a"]'],
  ['(1,)', '[1]'],
  ['(1)', '1'],
  ['()', '[]'],
  [`{"a": None, 'b': {1: True}}`, '{"a":null,"b":{"1":true}}'],
  ['[true, false, null, False]', '[true,false,null,false]'],
]

for (const [literal, json] of literals)
  test(`reads the Python literal ${JSON.stringify(literal)}`, () => {
    assert.equal(argumentsOf(literal), `{"x":${json}}`)
    JSON.parse(argumentsOf(literal)!)
  })

const invalid = [
  ...['007', '1j', '0x', '0x_', 'y', 'constructor', '1 + 1', 'f()', '"a', `'''a''`, '[1', '{"a"}', '{"a": }', '{1, 2}'],
  ...['[,]', '(,)', 'b"a"', 'f"{a}"', '__proto__', '-', '.', '1..2', `${'['.repeat(100)}${']'.repeat(100)}`],
]

for (const literal of invalid)
  test(`does not read ${JSON.stringify(literal.slice(0, 20))} as a Python literal`, () => {
    assert.equal(argumentsOf(literal), undefined)
  })

test('reads calls in a list, one call alone, and calls before the end mark of Llama', () => {
  const f = { name: 'f', arguments: '{}' }
  const g = { name: 'g.h-i', arguments: '{"y":1,"z":"b"}' }
  assert.deepEqual(readPythonCalls(' [ f ( ) ,\n g.h-i(y = 1, z="b",) , ] '), [f, g])
  for (const block of ['f()', '[f()]<|eom_id|>', '[f()]<|eot|>\n']) assert.deepEqual(readPythonCalls(block), [f])
})

test('text that is not only calls with named arguments has no calls', () => {
  const texts = [
    '',
    '[]',
    '[f]',
    '[f(1)]',
    '[f(x=1) and]',
    '[f(x=1)] Done',
    '[f(x=1, x=2)]',
    '[f(x=1) g()]',
    '[f(**{})]',
  ]
  for (const text of texts) assert.equal(readPythonCalls(text), undefined, text)
})

const toolNames = new Set(['f', 'g'])

function split(pieces: string[]) {
  const splitter = new TextCallSplitter(textCallFormats.pythonic, toolNames)
  const results = [...pieces.map((piece) => splitter.push(piece)), splitter.end()]
  return { text: results.map(({ text }) => text).join(''), calls: results.flatMap(({ calls }) => calls) }
}

const responses: [sent: string, text: string, callCount: number][] = [
  [`\n [f(city='Par]is', d={"a": [1, None]}), g()]`, '', 2],
  ['<|python_start|>[f(x=1)]<|python_end|>', '', 1],
  ['I call.\n<|python_start|>f(x="[")<|python_end|>\nDone', 'I call.Done', 1],
  ['[f(x="""a\n"b" """)]', '', 1],
  ['[a link](https://a.example)', '[a link](https://a.example)', 0],
  ['[f](https://a.example) and [f(x=1)]', '[f](https://a.example) and [f(x=1)]', 0],
  ['[rm(x=1)]', '[rm(x=1)]', 0],
  ['[f(x=1), rm()]', '[f(x=1), rm()]', 0],
  ['[f(x=1', '[f(x=1', 0],
  ['[', '[', 0],
  ['[1, 2]', '[1, 2]', 0],
]

for (const [sent, text, callCount] of responses)
  test(`splits ${JSON.stringify(sent.slice(0, 40))} the same at every character`, () => {
    const whole = split([sent])
    assert.deepEqual([whole.text.trimStart(), whole.calls.length], [text, callCount])
    assert.deepEqual(split([...sent]), whole)
    for (let at = 1; at < sent.length; at++) assert.deepEqual(split([sent.slice(0, at), sent.slice(at)]), whole)
  })

test('text in brackets that is not a call is not held back', () => {
  const splitter = new TextCallSplitter(textCallFormats.pythonic, toolNames)
  assert.equal(splitter.push('[f').text, '')
  assert.equal(splitter.push('ine (').text, '[fine (')
  const other = new TextCallSplitter(textCallFormats.pythonic, toolNames)
  assert.equal(other.push(`[${'f'.repeat(300)}`).text.length, 301)
})

/** The processor time of a reading for each character, in nanoseconds. */
function measureNs(text: string): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage()
    readPythonCalls(text)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  })
  return (Math.min(...times) * 1000) / text.length
}

const hostile: Record<string, (size: number) => string> = {
  'an unclosed string': (size) => `[f(x="${'a'.repeat(size)}`,
  'quotes of an unclosed string': (size) => `[f(x="""${'"" '.repeat(size / 3)}`,
  escapes: (size) => `[f(x="${'\\x4'.repeat(size / 3)}")]`,
  digits: (size) => `[f(x=${'1'.repeat(size)}`,
  'underscores in a number': (size) => `[f(x=1${'_'.repeat(size)}`,
  'opening brackets': (size) => `[f(x=${'['.repeat(size)}`,
  values: (size) => `[f(x=[${'1,'.repeat(size / 2)}`,
  calls: (size) => `[${'f(),'.repeat(size / 4)}`,
  arguments: (size) => `[f(${Array.from({ length: size / 8 }, (_, at) => `a${at}=1,`).join('')}`,
  'strings beside each other': (size) => `[f(x=${'"" '.repeat(size / 3)}`,
  'white space': (size) => `[f(x=${' '.repeat(size)}`,
  'a long name': (size) => `[${'f'.repeat(size)}`,
}

for (const [name, create] of Object.entries(hostile))
  test(`reads ${name} in linear time`, () => {
    const [short, long] = [measureNs(create(20_000)), measureNs(create(400_000))]
    assert.ok(long < 10 * short + 1_000, `${short} and ${long} ns for each character`)
  })
