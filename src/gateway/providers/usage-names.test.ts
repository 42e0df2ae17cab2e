import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UsageEvent } from '#chat/events.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'

/** The counts of a whole chat response with these fields: prompt, completion, cached, written, reasoning. */
function countsOf(fields: object): number[] {
  const body = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], ...fields }
  const usage = openaiChat.readBody(body).find((event): event is UsageEvent => event.type === 'usage')
  const { prompt, completion, cached, cacheWritten, reasoning } = usage!.tokens
  return [prompt, completion, cached, cacheWritten, reasoning]
}

const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

test('cached and reasoning tokens are read under each name that servers use', () => {
  for (const [more, expected] of [
    [{ cache_read_tokens: 3, cache_write_tokens: 2 }, [10, 5, 3, 2, 0]],
    [{ cached_prompt_tokens: 3 }, [10, 5, 3, 0, 0]],
    [{ prompt_cached_tokens: 3, thinking_tokens: 4 }, [10, 5, 3, 0, 4]],
    [{ completion_tokens_details: { thinking_tokens: 4 } }, [10, 5, 0, 0, 4]],
    [
      { input_token_details: { cache_read: 3, cache_creation: 2 }, output_token_details: { reasoning: 4 } },
      [10, 5, 3, 2, 4],
    ],
  ] as const)
    assert.deepEqual(countsOf({ usage: { ...counts, ...more } }), expected)
})

test('counts are read under the names of other protocols', () => {
  const gemini = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 4, totalTokenCount: 19 }
  assert.deepEqual(countsOf({ usage: gemini }), [10, 9, 0, 0, 4])
  assert.deepEqual(countsOf({ usageMetadata: gemini }), [10, 9, 0, 0, 4])
  const python = {
    prompt_token_count: 10,
    candidates_token_count: 5,
    thoughts_token_count: 4,
    total_token_count: 19,
    cached_content_token_count: 3,
  }
  assert.deepEqual(countsOf({ usage: python }), [10, 9, 3, 0, 4])
  const bedrock = { inputTokenCount: 10, outputTokenCount: 5, cacheReadInputTokenCount: 3 }
  assert.deepEqual(countsOf({ 'amazon-bedrock-invocationMetrics': bedrock }), [13, 5, 3, 0, 0])
  assert.deepEqual(
    countsOf({ usage: { promptTokens: 10, completionTokens: 5, cachedPromptTokens: 3 } }),
    [10, 5, 3, 0, 0],
  )
  assert.deepEqual(countsOf({ usage: { num_prompt_tokens: 10, num_completion_tokens: 5 } }), [10, 5, 0, 0, 0])
  assert.deepEqual(countsOf({ prompt_eval_count: 10, eval_count: 5 }), [10, 5, 0, 0, 0])
})

test('counts within the usage, in parts and as text are read', () => {
  const cohere = {
    tokens: { input_tokens: 12, output_tokens: 5 },
    billed_units: { input_tokens: 10, output_tokens: 5 },
  }
  assert.deepEqual(countsOf({ usage: cohere }), [10, 5, 0, 0, 0])
  const parts = { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6, completion_tokens: 5 }
  assert.deepEqual(countsOf({ usage: parts }), [10, 5, 4, 0, 0])
  const texts = { prompt_tokens: '10', completion_tokens: '5', prompt_tokens_details: { cached_tokens: '3' } }
  assert.deepEqual(countsOf({ usage: texts }), [10, 5, 3, 0, 0])
})

test('usage as text is restated, because clients expect numbers', () => {
  const body = {
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: '10', completion_tokens: '5' },
  }
  const usage = openaiChat.readBody(body).find((event): event is UsageEvent => event.type === 'usage')
  assert.equal(usage!.restated, true)
})
