import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gistOf } from '#test/harness/upstream/recorded-responses.ts'
import { readDemoOptions } from './keywords.ts'
import { simulateResponse } from './play.ts'

const scene = (content: string, more: object = {}) =>
  simulateResponse({ messages: [{ role: 'user', content }], ...more })
const stepsOf = (content: string, more?: object) => {
  const played = scene(content, more)
  assert.ok('steps' in played)
  return played.steps
}
const gist = (content: string, more?: object) =>
  gistOf(stepsOf(content, more).flatMap((step) => ('event' in step ? [step.event] : [])))

describe('the demo model', () => {
  test('the same request has the same response, which repeats the prompt', () => {
    assert.deepEqual(scene('Hello'), scene('Hello'))
    assert.match(gist('Hello').text ?? '', /^You said: Hello\./)
  })

  test('plays the requested thoughts, words and finish reason', () => {
    assert.match(gist('demo:reasoning').reasoning ?? '', /^I think/)
    assert.equal(gist('demo:words=2').text, 'word1 word2')
    assert.equal(gist('demo:length').finish, 'length (length)')
    assert.equal(gist('demo:nousage').tokens, undefined)
  })

  test('tools are called with arguments that fit their schemas: the first, or all', () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name, parameters } }))
    assert.deepEqual(gist('demo:tool', { tools }).calls, ['call_demo_1 a {"n":1}'])
    assert.equal(gist('demo:tools', { tools }).calls?.length, 2)
  })

  test('a required tool is called, and none if tools are forbidden', () => {
    const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }))
    const calls = (tool_choice: unknown, text = 'Hi') => gist(text, { tools, tool_choice }).calls
    for (const must of ['required', 'any']) assert.deepEqual(calls(must), ['call_demo_1 a {}'])
    assert.deepEqual(calls({ type: 'function', function: { name: 'b' } }), ['call_demo_1 b {}'])
    assert.equal(calls('none', 'demo:tool')?.length ?? 0, 0)
    assert.equal(calls('auto')?.length ?? 0, 0)
  })

  test('a schema for the response is followed', () => {
    const schema = { type: 'object', properties: { a: { enum: ['x', 'y'] }, b: { type: 'boolean' } } }
    const { text } = gist('Hi', { response_format: { type: 'json_schema', json_schema: { schema } } })
    assert.deepEqual(JSON.parse(text ?? ''), { a: 'x', b: true })
  })

  test('failures before, within and after the first words', () => {
    assert.deepEqual(scene('demo:error=429'), {
      error: { status: 429, message: 'The demo model was asked to fail with 429.' },
    })
    assert.match(gist('demo:break').error ?? '', /^502: /)
    assert.deepEqual(stepsOf('demo:cut').at(-1), { afterMs: 0, stop: 'cut' })
    assert.deepEqual(stepsOf('demo:stall').at(-1), { afterMs: 0, stop: 'stall' })
  })

  test('pauses before the first word and between words', () => {
    const waits = stepsOf('demo:slow=500 demo:pace=20 demo:words=2').map(({ afterMs }) => afterMs)
    assert.deepEqual(waits.slice(0, 2), [500, 20])
  })

  test('exactly the keywords of the documentation exist', () => {
    const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
    const documented = new Set([...page.matchAll(/^\| `demo:([a-z]+)/gm)].map(([, word]) => word))
    for (const word of documented)
      assert.notDeepEqual(readDemoOptions(`demo:${word}=7`), readDemoOptions(''), `demo:${word} has no effect`)
    assert.equal(documented.size, Object.keys(readDemoOptions('')).length)
  })
})
