import type { Protocol } from '#platform/core/vocabulary.ts'

const sse = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const done = 'data: [DONE]\n\n'
const choice = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...more }] })
const delta = (delta: object, finish_reason: string | null = null) => choice({ delta, finish_reason })
const response = { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } }
const created = { type: 'response.created', response }
const parts = (functionCalls: object[], more: object = {}) => ({
  candidates: [{ content: { parts: functionCalls.map((functionCall) => ({ functionCall })) }, ...more }],
})
const messageItem = (id: string, text: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

/** Answers with a status of success that are none, and the status and the provider's words that clients get. */
export const unusableResponses: { name: string; protocol: Protocol; body: string; status: number; words?: string }[] = [
  ...Object.entries({
    'arguments in parts without the last one': [{ name: 'read', willContinue: true }],
    'parts of two calls': [{ name: 'read', willContinue: true }, { name: 'write' }],
    'parts of arguments that do not fit': [
      {
        name: 'read',
        partialArgs: [
          { jsonPath: '$.a', stringValue: 'x' },
          { jsonPath: '$.a.b', numberValue: 1 },
        ],
      },
    ],
    'a part of arguments with a wildcard': [{ name: 'read', partialArgs: [{ jsonPath: '$.*', numberValue: 1 }] }],
    'a part of arguments far behind the others': [
      { name: 'read', partialArgs: [{ jsonPath: '$.a[900000000]', numberValue: 1 }] },
    ],
  }).map(([name, functionCalls]) => ({
    name,
    protocol: 'google-gemini' as const,
    body: sse([parts(functionCalls, { finishReason: 'STOP' })]),
    status: 502,
  })),
  { name: 'the end mark alone', protocol: 'openai-chat', body: done, status: 502 },
  {
    name: 'the end mark after an event without content',
    protocol: 'openai-chat',
    body: sse([delta({ role: 'assistant', content: '' })]) + done,
    status: 502,
  },
  {
    name: 'the end mark instead of the last event',
    protocol: 'openai-responses',
    body: sse([created]) + done,
    status: 502,
  },
  ...['queued', 'in_progress'].map((status) => ({
    name: `a response that is ${status}`,
    protocol: 'openai-responses' as const,
    body: JSON.stringify({ id: 'r', object: 'response', status, output: [messageItem('m', 'Hel')] }),
    status: 502,
    words: `the provider sent a response that is not finished: "${status}"`,
  })),
  {
    name: 'an error with a status as text',
    protocol: 'openai-chat',
    body: sse([{ error: { message: 'slow down', status_code: '429' } }]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error with a type alone',
    protocol: 'openai-chat',
    body: sse([{ error: { message: 'slow down', type: 'RateLimitError' } }]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error event with a text',
    protocol: 'openai-chat',
    body: 'event: error\ndata: out of memory\n\n',
    status: 502,
    words: 'out of memory',
  },
  {
    name: 'an error event with other fields',
    protocol: 'anthropic-messages',
    body: 'event: error\ndata: {"detail":"out of memory"}\n\n',
    status: 502,
    words: 'out of memory',
  },
  {
    name: 'an error in the place of a chunk',
    protocol: 'openai-chat',
    body: sse([{ object: 'error', message: 'bad image', code: 400 }]) + done,
    status: 400,
    words: 'bad image',
  },
  ...(['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const).map((protocol) => ({
    name: 'an error as a text',
    protocol,
    body: sse([{ error: 'out of memory' }]),
    status: 502,
    words: 'out of memory',
  })),
  {
    name: 'an error of a choice',
    protocol: 'openai-chat',
    body: sse([choice({ delta: {}, finish_reason: 'error', error: { code: 429, message: 'slow down' } })]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error of MiniMax',
    protocol: 'openai-chat',
    body: sse([{ choices: null, base_resp: { status_code: 1002, status_msg: 'slow down' } }]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error of MiniMax beside an empty message',
    protocol: 'openai-chat',
    body: JSON.stringify({
      choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
      base_resp: { status_code: 1002, status_msg: 'slow down' },
    }),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error of DashScope without a stream',
    protocol: 'openai-chat',
    body: JSON.stringify({ code: 'Throttling', message: 'slow down' }),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'JSON of an error without the fields of events',
    protocol: 'openai-chat',
    body: `\n${JSON.stringify({ error: { code: 429, message: 'slow down' } }, null, 2)}`,
    status: 429,
    words: 'slow down',
  },
  {
    name: 'a page of a proxy',
    protocol: 'anthropic-messages',
    body: '<html><head><title>504 Gateway Time-out</title></head></html>',
    status: 502,
    words: '504 Gateway Time-out',
  },
  {
    name: 'a text instead of events',
    protocol: 'openai-chat',
    body: 'data: Internal server error\n\n',
    status: 502,
    words: 'Internal server error',
  },
  ...[
    { errors: [{ message: 'out of memory' }] },
    { type: 'server_error', message: 'out of memory' },
    { modelStreamErrorException: { message: 'out of memory' } },
    [{ error: { message: 'out of memory' } }],
  ].map((event) => ({
    name: `the error ${JSON.stringify(event)}`,
    protocol: 'openai-chat' as const,
    body: sse([delta({ role: 'assistant' }), event]),
    status: 502,
    words: 'out of memory',
  })),
  {
    name: 'an exception of Bedrock in an event',
    protocol: 'openai-chat',
    body: sse([{ throttlingException: { message: 'slow down' } }]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error in a list',
    protocol: 'google-gemini',
    body: sse([[{ error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }]]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'a response that the provider cancelled',
    protocol: 'openai-responses',
    body: sse([created, { type: 'response.cancelled', response: { ...response, status: 'cancelled' } }]),
    status: 502,
    words: 'the provider cancelled the response',
  },
  {
    name: 'an error without a type',
    protocol: 'openai-responses',
    body: sse([created, { error: { code: 'rate_limit_exceeded', message: 'slow down' } }]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error of Groq that stops a stream',
    protocol: 'openai-chat',
    body: sse([choice({ delta: {}, finish_reason: null }), { choices: [], x_groq: { error: 'out of memory' } }]) + done,
    status: 502,
    words: 'out of memory',
  },
  {
    name: 'an error of Zhipu, named by a number',
    protocol: 'openai-chat',
    body: sse([{ error: { code: '1302', message: 'slow down' } }]),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error of DashScope about the content of the request',
    protocol: 'openai-chat',
    body: 'event:error\n:HTTP_STATUS/400\ndata:{"code":"DataInspectionFailed","message":"inappropriate"}\n\n',
    status: 400,
    words: 'inappropriate',
  },
  {
    name: 'an error of OpenRouter with that of its provider',
    protocol: 'openai-chat',
    body: JSON.stringify({
      error: { code: 429, message: 'Provider returned error', metadata: { raw: '{"error":{"message":"slow down"}}' } },
    }),
    status: 429,
    words: 'slow down',
  },
  {
    name: 'an error in a field of llama.cpp',
    protocol: 'openai-chat',
    body: 'error: {"code":500,"message":"out of memory","type":"server_error"}\n\n',
    status: 502,
    words: 'out of memory',
  },
  {
    name: 'nothing',
    protocol: 'openai-chat',
    body: '',
    status: 502,
  },
  {
    name: 'an error of Tencent',
    protocol: 'openai-chat',
    body: JSON.stringify({ Response: { Error: { Code: 'LimitExceeded', Message: 'QPS limit reached' } } }),
    status: 429,
    words: 'QPS limit reached',
  },
  {
    name: 'an error as a text beside its status',
    protocol: 'openai-chat',
    body: JSON.stringify({ error: 'Insufficient balance', requiredBalance: 0.0035, status: 402 }),
    status: 402,
    words: 'Insufficient balance',
  },
  {
    name: 'an error whose status is only in its words',
    protocol: 'openai-chat',
    body: JSON.stringify({ error_code: 18, error_msg: 'Open api qps request limit reached' }),
    status: 429,
    words: 'Open api qps request limit reached',
  },
  {
    name: 'an error in a response of AWS Lambda',
    protocol: 'openai-chat',
    body: JSON.stringify({ statusCode: 400, body: JSON.stringify({ error: { message: 'bad image' } }) }),
    status: 400,
    words: 'bad image',
  },
  {
    name: 'JSON of an error between events',
    protocol: 'openai-chat',
    body: `${sse([delta({ role: 'assistant', content: '' })])}{"error":{"message":"slow down","code":429}}\n\n`,
    status: 429,
    words: 'slow down',
  },
  {
    name: 'a whole choice without a message',
    protocol: 'openai-chat',
    body: JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop' }] }),
    status: 502,
  },
]

/** A stream with an error after its first text. */
export const brokenStream = sse([
  delta({ content: 'Hello' }),
  { ...delta({}), choices: [], error: { code: 502, message: 'slow down' } },
])

/** Bodies of refusals, and the words that clients must see. */
export const oddErrors: [body: unknown, words: string][] = [
  [{ error: 'model is loading' }, 'model is loading'],
  [{ detail: { error: { message: 'no such deployment' } } }, 'no such deployment'],
  [{ detail: [{ loc: ['body', 'n'], msg: 'must be 1' }] }, 'n: must be 1.'],
  [{ errors: [{ code: 7003, message: 'no route' }], success: false }, 'no route'],
  [{ error: { error: { message: 'twice wrapped' } } }, 'twice wrapped'],
  [[{ error: { message: 'in a list' } }], 'in a list'],
  [{ object: 'error', message: 'at the top' }, 'at the top'],
  [{ Message: 'with a capital' }, 'with a capital'],
  [{ error: { msg: 'short' } }, 'short'],
  [{ errors: { messages: ['in an object'] } }, 'in an object'],
  [
    {
      error: {
        message: 'Provider returned error',
        metadata: { raw: JSON.stringify({ error: { message: 'of the provider behind' } }) },
      },
    },
    'of the provider behind',
  ],
  [{ title: 'in a title', status: 400 }, 'in a title'],
  [{ error: { description: 'in a description' } }, 'in a description'],
  [{ fault: { faultstring: 'in a fault' } }, 'in a fault'],
  [{ errors: { model: ['of a field'] } }, 'of a field'],
  [{ error: { message: '{"error":{"message":"in JSON text"}}' } }, 'in JSON text'],
  [
    { error: { message: 'Provider returned error', metadata: { raw: { error: { message: 'in raw JSON' } } } } },
    'in raw JSON',
  ],
  ['<?xml version="1.0"?><Error><Message>in XML</Message></Error>', 'in XML'],
  [
    '<html><body><h1>503 Service Unavailable</h1>\nNo server is available.</body></html>',
    '503 Service Unavailable No server is available.',
  ],
  [{ ResponseMetadata: { Error: { Code: 'x', Message: 'of Volcengine' } } }, 'of Volcengine'],
  [{ errMsg: 'in an abbreviation' }, 'in an abbreviation'],
  [
    { statusCode: 400, error: 'Bad Request', message: ['beside the name of', 'the status'] },
    'beside the name of the status',
  ],
  [
    { error: 'Bad Gateway', message: '{"error":{"message":"in JSON text beside the name"}}' },
    'in JSON text beside the name',
  ],
  ['<!DOCTYPE html><html><head><title>A proxy refused</title></head><body></body></html>', 'A proxy refused'],
]
