import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Protocol } from '#lib/vocabulary.ts'
import { protocols } from './protocols.ts'

type Spoken = Exclude<Protocol, 'demo'>

const choices = [{ message: { content: 'Hi' }, finish_reason: 'stop' }]
const candidates = [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]

/** A whole answer of each protocol that tells these counts of the prompt, the answer, and what came from a cache. */
const answers: Record<Spoken, (prompt: unknown, completion: unknown, cached?: unknown) => object> = {
  'openai-chat': (prompt_tokens, completion_tokens, cached_tokens) => ({
    choices,
    usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
  }),
  'openai-responses': (input_tokens, output_tokens, cached_tokens) => ({
    output: [],
    usage: { input_tokens, output_tokens, input_tokens_details: { cached_tokens } },
  }),
  'anthropic-messages': (input_tokens, output_tokens) => ({ content: [], usage: { input_tokens, output_tokens } }),
  'google-gemini': (promptTokenCount, candidatesTokenCount, cachedContentTokenCount) => ({
    candidates,
    usageMetadata: { promptTokenCount, candidatesTokenCount, cachedContentTokenCount },
  }),
}

function told(protocol: Spoken, ...counts: [unknown, unknown, unknown?]) {
  const events = protocols[protocol].readBody(answers[protocol](...counts))
  return events.find((event) => event.type === 'usage')?.tokens
}

for (const protocol of Object.keys(answers) as Spoken[]) {
  describe(protocol, () => {
    test('a count that is no whole number of tokens counts as none told', () => {
      for (const odd of [1.5, -1, {}, [], '5', true, 1e12, 1e300]) {
        assert.equal(told(protocol, odd, 5), undefined, `prompt ${JSON.stringify(odd)}`)
        assert.equal(told(protocol, 5, odd), undefined, `completion ${JSON.stringify(odd)}`)
      }
      assert.equal(told(protocol, undefined, null), undefined)
      assert.equal(told(protocol, 1e9, 0)?.prompt, 1e9)
    })

    test('what came from a cache is none where it makes no sense, and no more than the prompt', () => {
      if (protocol === 'anthropic-messages') return
      assert.equal(told(protocol, 5, 5, -3)?.cached, 0)
      assert.equal(told(protocol, 5, 5, 7)?.cached, 5)
    })
  })
}
