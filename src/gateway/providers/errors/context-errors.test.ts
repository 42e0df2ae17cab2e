import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readContextError } from './context-errors.ts'

const rows: [message: string, sizes: { limit?: number; tokens?: number }][] = [
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    { limit: 8192, tokens: 9001 },
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input).",
    { limit: 131072, tokens: 140000 },
  ],
  [
    "This model's maximum context length is 2048 tokens. However, your request has 4000 input tokens.",
    { limit: 2048, tokens: 4000 },
  ],
  ['the request exceeds the available context size (2048 tokens), try increasing it', { limit: 2048 }],
  [
    'request (3019 tokens) exceeds the available context size (2048 tokens), try increasing it',
    { limit: 2048, tokens: 3019 },
  ],
  ['Requested tokens (3000) exceed context window of 2048', { limit: 2048, tokens: 3000 }],
  [
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { limit: 131072, tokens: 537812 },
  ],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { limit: 32768, tokens: 40000 },
  ],
  [
    'Invalid request: Your request exceeded model token limit: 131072 (requested: 200000)',
    { limit: 131072, tokens: 200000 },
  ],
  ["The input (9000 tokens) is longer than the model's context length (8192 tokens).", { limit: 8192, tokens: 9000 }],
  ['Requested input length 9000 exceeds maximum input length 8191', { limit: 8191, tokens: 9000 }],
  [
    'The estimated number of input and maximum output tokens (12000) exceeded this model context window limit (7968).',
    { limit: 7968, tokens: 12000 },
  ],
  ['too many tokens: size limit exceeded by 1024 tokens.', {}],
  [
    'the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model',
    { limit: 8192, tokens: 9000 },
  ],
  ['The maximum context length of Meta-Llama-3.1-8B is 8192. Shorten your prompt.', { limit: 8192 }],
  ['Range of input length should be [1, 129024]', { limit: 129024 }],
  [
    '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 20000 `inputs` tokens and 100 `max_new_tokens`',
    { limit: 8193, tokens: 20000 },
  ],
  [
    'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    { limit: 8192, tokens: 9000 },
  ],
  ['Your input exceeds the context window of this model. Please adjust your input.', {}],
  ['prompt is too long: 208310 tokens > 200000 maximum', { limit: 200000, tokens: 208310 }],
  [
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
    { limit: 200000, tokens: 190000 },
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion).",
    { limit: 8192, tokens: 1000 },
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (139000 of text input, 11000 in the output).",
    { limit: 131072, tokens: 139000 },
  ],
  [
    "This model's maximum context length is 32768 tokens. However, you requested 8000 output tokens and your prompt contains at least 24769 input tokens, for a total of at least 32769 tokens.",
    { limit: 32768, tokens: 24769 },
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 tokens in the completion).",
    { limit: 8192, tokens: 1000 },
  ],
  [
    "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (1360 in your prompt; 4000 for the completion).",
    { limit: 4097, tokens: 1360 },
  ],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    { limit: 1048576, tokens: 1200000 },
  ],
  [
    "You passed 9001 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7192 tokens.",
    { limit: 8192, tokens: 9001 },
  ],
  [
    'Too many input tokens. Max input tokens: 131072, request input token count: 200000',
    { limit: 131072, tokens: 200000 },
  ],
  ['Number of input tokens exceeds maximum length. Please update the input to try again.', {}],
  ['The input token count exceeds the maximum number of tokens allowed 1048576.', { limit: 1048576 }],
  [
    'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576.',
    { limit: 1048576, tokens: 1200000 },
  ],
  ['Prompt is too long', {}],
  [
    'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 140000.',
    { limit: 128000, tokens: 140000 },
  ],
  ['length of prompt_tokens (40000) must be less than max_seq_len (32768).', { limit: 32768, tokens: 40000 }],
  ['Total tokens of image and text exceed max message tokens.', {}],
  ['Input length 140000 exceeds the maximum length 131072', { limit: 131072, tokens: 140000 }],
  ["Input length (9001) exceeds model's maximum context length (8192).", { limit: 8192, tokens: 9001 }],
  ['Request body too large for gpt-4o model. Max size: 8000 tokens.', { limit: 8000 }],
  ['prompt too long; exceeded max context length by 500 tokens', {}],
  [
    'The number of tokens to keep from the initial prompt (9800) is greater than the context length (8192).',
    { limit: 8192, tokens: 9800 },
  ],
  ['max tokens of 8192 exceeded', { limit: 8192 }],
  ['Prompt 超长', {}],
  ['Requested tokens(1762) exceed context window of 512', { limit: 512, tokens: 1762 }],
  ["Your prompt is longer than the model's context length of 2048.", { limit: 2048 }],
  ["The input exceeds the model's maximum context limit of 8192 tokens.", { limit: 8192 }],
  ['Context window exceeded: requested 12000 tokens', {}],
  ["This model's maximum sequence length is 8192 tokens.", { limit: 8192 }],
  ['Request size exceeds model context window', {}],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.',
    { limit: 272000, tokens: 300000 },
  ],
  ['Reached context length of 4096 tokens with this model', { limit: 4096 }],
  ['The message you submitted was too long, please submit something shorter.', {}],
  ['Input is too long: 5000 tokens exceeds the limit of 4096 tokens', { limit: 4096, tokens: 5000 }],
  ['Input text is too long. Shorten it.', {}],
  ["This model's maximum input length is 4096 tokens", { limit: 4096 }],
  ['max context length is 4096 tokens, requested 5000', { limit: 4096, tokens: 5000 }],
  ['This model only supports up to 4096 tokens but you sent 5000', { limit: 4096, tokens: 5000 }],
  ["the prompt's token count 40000 is longer than the model's max 32768", { limit: 32768, tokens: 40000 }],
  ["Total number of input tokens 40000 exceeds the model's maximum allowed 32768", { limit: 32768, tokens: 40000 }],
  ['total tokens (5000) exceed the maximum (4096)', { limit: 4096, tokens: 5000 }],
  ['length of input_ids (5000) is greater than max context (4096)', { limit: 4096, tokens: 5000 }],
  ["The total length of inputs exceeds the model's limit: 8192", { limit: 8192 }],
  ['messages exceed max token limit (32768)', { limit: 32768 }],
  ['Tokens limit exceeded: 40000 > 32768', { limit: 32768, tokens: 40000 }],
  ["The model's context length is exceeded.", {}],
  // In words of no listed server.
  ['The total length of all messages is too long.', {}],
  ['The prompt (total length 9000) is too long to fit into the model (context length 8192).', {}],
  ['The input is too long.', {}],
  ['Input exceeds the max input token limit', {}],
  ["total tokens exceeds the model's max of 4096", {}],
  ['Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room for output)', {}],
  ['The request exceeds the maximum number of input tokens (8192).', {}],
  ['input tokens (200001) exceed customer model maximum context length (128000)', {}],
  ['The sum of prompt length (9000.0) and query length max_tokens (100) should not exceed max_num_tokens (8192)', {}],
  ['prompt_len (9000) should be less than max_seq_len (8192)', {}],
  ['Cannot truncate prompt with n_keep (9000) >= n_ctx (8192)', {}],
  ['The total number of tokens in your prompt exceeds the limit of 262144', {}],
  ['输入内容长度超出限制', {}],
  ['请求超出模型上下文限制', {}],
  ['请求的输入长度超过模型最大上下文', {}],
]

test('an error for a prompt that is too long is recognized for each server', () => {
  for (const [message, sizes] of rows) assert.deepEqual(readContextError(undefined, message), sizes, message)
})

test('an error for a prompt that is too long is recognized by its code', () => {
  for (const code of ['context_length_exceeded', 'tokens_limit_reached', 'context_window_exceeded'])
    assert.deepEqual(readContextError(code, 'No.'), {})
})

test('other errors are not recognized as a prompt that is too long', () => {
  for (const message of [
    'max_tokens is too large: 90000. This model supports at most 16384 completion tokens',
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    'Request too large for model on tokens per minute (TPM): Limit 30000, Requested 35000.',
    'Number of request tokens has exceeded your per-minute rate limit',
    'input token limit exceeded for this minute',
    'Too many tokens, please wait before trying again.',
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40",
    'image exceeds 5 MB maximum: 7000000 bytes > 5242880 bytes',
    'max_output_tokens (200000) exceeds model maximum output tokens (128000)',
    'Invalid input: max_tokens must be less than 4096',
    'Current token count exceeds your organization quota',
    'Post "http://model": context deadline exceeded',
    'Input images exceed the limit of 20 images',
    "Invalid 'input': array too long. Expected an array with maximum length 2048, but got one with length 3000.",
    'temperature exceeds maximum allowed value',
    'tokens 使用量超出配额',
  ])
    assert.equal(readContextError('invalid_request_error', message), undefined, message)
})
