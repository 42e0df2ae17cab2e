import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Protocol } from '#lib/vocabulary.ts'
import { eventsIn, type Gist, gistOf } from '#test/harness/fixtures.ts'
import { protocols } from './protocols.ts'

const tokens = { prompt: 19, completion: 10, cached: 8, cacheWritten: 0, reasoning: 4 }
const anthropicTokens = { ...tokens, cacheWritten: 2, reasoning: 0 }
const greeting = { text: 'Grüß Gott 🚂' }
const rome = 'weather {"city":"Rome"}'
const oslo = 'weather {"city":"Oslo"}'
const calls = [`call_A ${rome}`, `call_B ${oslo}`]
const format = 'anthropic-claude-v1' as const
const google = 'google-gemini-v1' as const
const thinking = {
  reasoning: 'Hmm, so.',
  text: 'I look.',
  marks: [
    { format, signature: 'EqQBCgIYAhIM-signed' },
    { format, encrypted: 'EmwKAhgB-redacted' },
  ],
  calls: [`toolu_A ${rome}`],
  finish: 'tool_calls (tool_use)',
  tokens: anthropicTokens,
}
const geminiCalls = [`gemini_rZcM_0 ${rome}`, `gemini_rZcM_1 ${oslo}`]

/** Each recorded answer, and what it says; `text` and the like stand for both forms of it. */
const recorded: Record<Exclude<Protocol, 'demo'>, Record<string, Gist>> = {
  'openai-chat': {
    'text.sse text.json': { ...greeting, finish: 'stop (stop)', tokens },
    'parallel-tools.sse parallel-tools.json': { calls, finish: 'tool_calls (tool_calls)', tokens },
    'reasoning.sse': { reasoning: 'Hmm, so.', text: 'Yes.', finish: 'stop (stop)', tokens },
    'refusal.sse': { refusal: "I'm sorry, no.", finish: 'stop (stop)', tokens },
    'error.sse': { text: 'Once', error: 'undefined: The server had an error while processing your request' },
  },
  'openai-responses': {
    'text.sse text.json': { ...greeting, finish: 'stop (completed)', tokens },
    'parallel-tools.sse parallel-tools.json': { calls, finish: 'tool_calls (completed)', tokens },
    'reasoning.sse reasoning.json': {
      reasoning: 'Hmm, so.\n\nThen this.',
      text: 'Yes.',
      marks: [{ format: 'openai-responses-v1', encrypted: 'gAAAAAB-opaque', id: 'rs_1' }],
      finish: 'stop (completed)',
      tokens,
    },
    'refusal.sse': { refusal: "I'm sorry, no.", finish: 'stop (completed)', tokens },
    'incomplete.sse': { text: 'Once upon', finish: 'length (max_output_tokens)', tokens },
    'error.sse': { text: 'Grüß', error: '500: The server had an error while processing your request' },
  },
  'anthropic-messages': {
    'text.sse text.json': { ...greeting, finish: 'stop (end_turn)', tokens: anthropicTokens },
    'parallel-tools.sse parallel-tools.json': {
      text: 'I look.',
      calls: [`toolu_A ${rome}`, `toolu_B ${oslo}`],
      finish: 'tool_calls (tool_use)',
      tokens: anthropicTokens,
    },
    'thinking-tools.sse thinking-tools.json': thinking,
    'refusal.sse': { text: 'No', finish: 'content_filter (refusal)', tokens: anthropicTokens },
    'max-tokens.sse': { text: 'Once', finish: 'length (max_tokens)', tokens: anthropicTokens },
    'error.sse': { text: 'Once', error: '529: Overloaded' },
  },
  'google-gemini': {
    'text.sse text.json': { ...greeting, finish: 'stop (STOP)', tokens },
    'parallel-tools.sse parallel-tools.json': { calls: geminiCalls, finish: 'tool_calls (STOP)', tokens },
    'thinking-tools.sse thinking-tools.json': {
      reasoning: 'Hmm, so.',
      text: 'I look.',
      marks: [{ format: google, encrypted: 'CikB-signed', id: 'gemini_rZcM_0' }],
      calls: geminiCalls,
      finish: 'tool_calls (STOP)',
      tokens,
    },
    'signed-text.sse': {
      text: 'Yes.',
      reasoning: '',
      marks: [{ format: google, encrypted: 'CikB-text' }],
      finish: 'stop (STOP)',
      tokens,
    },
    'safety.sse': { text: 'Well', finish: 'content_filter (SAFETY)', tokens },
    'blocked.sse': {
      finish: 'content_filter (PROHIBITED_CONTENT)',
      tokens: { ...tokens, completion: 0, cached: 0, reasoning: 0 },
    },
    'malformed.sse': { error: "502: the model's answer was unusable: MALFORMED_FUNCTION_CALL" },
    'error.sse': { text: 'Once', error: '503: The model is overloaded. Please try again later.' },
  },
}

for (const [protocol, answers] of Object.entries(recorded) as [Protocol, Record<string, Gist>][]) {
  describe(`${protocol}, recorded answers`, () => {
    for (const [names, gist] of Object.entries(answers)) {
      for (const name of names.split(' ')) {
        test(`${name} is read as what it says`, () => {
          const upToError = eventsIn(protocols[protocol], `${protocol}.${name}`)
          const error = upToError.findIndex(({ type }) => type === 'error')
          assert.deepEqual(gistOf(error === -1 ? upToError : upToError.slice(0, error + 1)), gist)
        })
      }
    }

    test('the first event of an answer says who answers', () => {
      const [first] = eventsIn(protocols[protocol], `${protocol}.text.sse`)
      assert.equal(first?.type, 'started')
      assert.ok(first.id && first.model)
    })

    test('what is no answer of the protocol is an error, never an empty answer', () => {
      assert.throws(() => protocols[protocol].readBody({ hello: 'world' }))
    })
  })
}
