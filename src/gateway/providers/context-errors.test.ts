import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readContextError } from './context-errors.ts'
import { protocols } from './protocols.ts'

const rows: [keyof typeof protocols, string, { limit?: number; tokens?: number }][] = [
  [
    'openai-chat',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    { limit: 8192, tokens: 9001 },
  ],
  [
    'openai-chat',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input).",
    { limit: 131072, tokens: 140000 },
  ],
  [
    'openai-chat',
    "This model's maximum context length is 2048 tokens. However, your request has 4000 input tokens.",
    { limit: 2048, tokens: 4000 },
  ],
  ['openai-chat', 'the request exceeds the available context size (2048 tokens), try increasing it', { limit: 2048 }],
  [
    'openai-chat',
    'request (3019 tokens) exceeds the available context size (2048 tokens), try increasing it',
    { limit: 2048, tokens: 3019 },
  ],
  ['openai-chat', 'Requested tokens (3000) exceed context window of 2048', { limit: 2048, tokens: 3000 }],
  [
    'openai-chat',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { limit: 131072, tokens: 537812 },
  ],
  [
    'openai-chat',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { limit: 32768, tokens: 40000 },
  ],
  [
    'openai-chat',
    'Invalid request: Your request exceeded model token limit: 131072 (requested: 200000)',
    { limit: 131072, tokens: 200000 },
  ],
  [
    'openai-chat',
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    { limit: 8192, tokens: 9000 },
  ],
  ['openai-chat', 'Requested input length 9000 exceeds maximum input length 8191', { limit: 8191, tokens: 9000 }],
  [
    'openai-chat',
    'The estimated number of input and maximum output tokens (12000) exceeded this model context window limit (7968).',
    { limit: 7968, tokens: 12000 },
  ],
  ['openai-chat', 'too many tokens: size limit exceeded by 1024 tokens.', {}],
  [
    'openai-chat',
    'the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model',
    { limit: 8192, tokens: 9000 },
  ],
  ['openai-chat', 'The maximum context length of Meta-Llama-3.1-8B is 8192. Shorten your prompt.', { limit: 8192 }],
  ['openai-chat', 'Range of input length should be [1, 129024]', { limit: 129024 }],
  [
    'openai-chat',
    '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 20000 `inputs` tokens and 100 `max_new_tokens`',
    { limit: 8193, tokens: 20000 },
  ],
  [
    'openai-chat',
    'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    { limit: 8192, tokens: 9000 },
  ],
  ['openai-responses', 'Your input exceeds the context window of this model. Please adjust your input.', {}],
  ['anthropic-messages', 'prompt is too long: 208310 tokens > 200000 maximum', { limit: 200000, tokens: 208310 }],
  [
    'anthropic-messages',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
    { limit: 200000 },
  ],
  [
    'google-gemini',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    { limit: 1048576, tokens: 1200000 },
  ],
]

test('an error for a prompt that is too long is recognized for each server', () => {
  for (const [protocol, message, sizes] of rows)
    assert.deepEqual(readContextError(protocols[protocol].contextErrors, undefined, message), sizes, message)
})

test('an error for a prompt that is too long is recognized by its code', () =>
  assert.deepEqual(readContextError(protocols['openai-chat'].contextErrors, 'context_length_exceeded', 'No.'), {}))

test('other errors are not recognized as a prompt that is too long', () => {
  for (const message of ['max_tokens is too large: 90000', 'Request too large for model on tokens per minute (TPM)'])
    for (const { contextErrors } of Object.values(protocols))
      assert.equal(readContextError(contextErrors, 'invalid_request_error', message), undefined, message)
})
