import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseName, toKey } from './name.ts'
import { namesAgree } from './names-agree.ts'

test('spellings of one name have one key', () => {
  const spellings = [
    [
      'claude-opus-4-1',
      'claude-opus-4.1',
      'claude-4.1-opus',
      'anthropic/claude-opus-4.1',
      'databricks-claude-opus-4-1',
    ],
    ['qwen3-8b', 'qwen-3-8b', 'Qwen/Qwen3-8B', 'qwen3_8b', 'qwen3:8b'],
    ['glm-5.1', 'hf:zai-org/GLM-5.1', 'accounts/fireworks/models/glm-5p1', 'zai-org-glm-5-1', 'zai-org/GLM-5.1-TEE'],
    ['claude-3-5-haiku', 'claude-haiku-3.5', 'claude-3.5-haiku'],
    ['gpt-oss-120b', '@cf/openai/gpt-oss-120b', 'gpt-oss:120b', 'openai.gpt-oss-120b', 'openai/gpt-oss-120b-maas'],
  ]
  for (const names of spellings) assert.equal(new Set(names.map((name) => parseName(name).key)).size, 1, names.join())
})

test('different models have different keys', () => {
  const different: [string, string][] = [
    ['gpt-4o', 'gpt-4o-mini'],
    ['qwen2-57b', 'qwen2.5-7b'],
    ['claude-sonnet-4', 'claude-sonnet-4-5'],
    ['kimi-k2', 'kimi-k2-thinking'],
    ['deepseek-r1', 'deepseek-r1-0528'],
    ['gemini-3-pro', 'gemini-3-pro-preview'],
    ['llama-3.3-70b-instruct', 'llama-3.3-8b-instruct'],
    ['gpt-5-chat', 'gpt-5-chat-latest'],
    ['mistral-large', 'mistral-small'],
    ['grok-4-fast', 'grok-4'],
  ]
  for (const [one, other] of different) assert.notEqual(parseName(one).key, parseName(other).key)
})

test('quantization, variant and date are separated from the name', () => {
  const { slug, quantization } = parseName('zai-org/GLM-5-FP8')
  assert.deepEqual([slug, quantization], ['glm-5', 'fp8'])
  assert.equal(parseName('openai/gpt-oss-120b:free').variant, 'free')
  assert.deepEqual(
    ['gpt-4o-2024-08-06', 'claude-opus-4-1@20250805', 'devstral-2512'].map((name) => parseName(name).date),
    ['2024-08-06', '2025-08-05', undefined],
  )
})

test('an author is a known one or none, and hosts are distinguished', () => {
  const authors = ['meta/llama-3', 'xai/grok-4', 'alibaba/qwen3-max', 'alibaba/wan-2', 'TEE/glm-5', 'stealth/glm-5']
  assert.deepEqual(
    authors.map((name) => parseName(name).author),
    ['meta-llama', 'x-ai', 'qwen', 'alibaba', undefined, undefined],
  )
  assert.deepEqual(
    [parseName('TEE/glm-5').hasUnknownPrefix, parseName('stealth/glm-5').hasUnknownPrefix],
    [false, true],
  )
})

test('a base model is used unless the name contradicts it', () => {
  const agreeing: [string, string][] = [
    ['llama-4-maverick', 'llama-4-maverick-17b-instruct'],
    ['claude-3.5-haiku', 'claude-3-5-haiku-20241022'],
    ['gpt-52-codex', 'gpt-5.2-codex'],
    ['gemini-3-flash', 'gemini-3-flash-preview'],
  ]
  for (const [name, base] of agreeing) assert.ok(namesAgree(name, base), `${name} is ${base}`)
})

test('a base model is not used if it is a similar model', () => {
  const siblings: [string, string][] = [
    ['deepseek-r1-distill-qwen-32b', 'deepseek-r1'],
    ['claude-sonnet-4', 'claude-sonnet-4-5-20250929'],
    ['qwen3-235b-a22b-instruct-2507', 'qwen3-235b-a22b'],
    ['kimi-k2.7-code-highspeed', 'kimi-k2.7-code'],
    ['claude-opus-4-8-fast', 'claude-opus-4-8'],
    ['mimo-v2.5', 'mimo-v2.5-pro'],
    ['mistral-small-2503', 'mistral-small-2603'],
    ['qwen3-32b', 'qwen3-14b'],
    ['umans-flash', 'qwen3.6-35b-a3b'],
  ]
  for (const [name, base] of siblings) assert.ok(!namesAgree(name, base), `${name} is not ${base}`)
})

test('a key keeps the hyphen between digits and loses all others', () => {
  assert.equal(toKey('qwen-2.5_vl-72b'), 'qwen2.5vl72b')
})
