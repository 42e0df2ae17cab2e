/** A chat request in each client protocol, and a function `weather` as its clients declare it. */
export const clientRequests = {
  'openai-chat': {
    body: { messages: [{ role: 'user', content: 'Hello' }] },
    tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
  },
  'openai-responses': {
    body: { input: 'Hello' },
    tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' } }],
  },
  'anthropic-messages': {
    body: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
    tools: [{ name: 'weather', input_schema: { type: 'object' } }],
  },
}

export type ClientName = keyof typeof clientRequests
