import type { ProviderFacts, ScriptedResponse } from '../../provider-facts.ts'
import { calls, greeting, newId, tokens, usage } from '../../scripted-values.ts'

const choices = [{ message: { content: 'Hi' }, finish_reason: 'stop' }]

export const facts: ProviderFacts = {
  path: /\/chat\/completions$/,
  model: 'gpt-5.2',
  described: `import type { ChatCompletionCreateParams as Described } from 'openai/resources/chat/completions'`,
  counting: (prompt_tokens, completion_tokens, cached_tokens) => ({
    choices,
    usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
  }),
  recorded: {
    'text.sse text.json': { ...greeting, finish: 'stop (stop)', tokens },
    'parallel-tools.sse parallel-tools.json': { calls, finish: 'tool_calls (tool_calls)', tokens },
    'reasoning.sse': { reasoning: 'Hmm, so.', text: 'Yes.', finish: 'stop (stop)', tokens },
    'refusal.sse': { refusal: "I'm sorry, no.", finish: 'stop (stop)', tokens },
    'error.sse': { text: 'Once', error: '500: The server had an error while processing your request' },
  },
  encodeResponse,
  errorBody: (_status, message) => ({ error: { message, type: 'played', code: null } }),
  endMark: 'data: [DONE]\n\n',
  toolResults: (body) => body.messages.filter((message: any) => message.role === 'tool'),
}

function encodeResponse({ text, calls = [], source }: ScriptedResponse, streamed: boolean): object | object[] {
  const head = { id: newId('chatcmpl'), created: 1_795_000_000, model: 'played' }
  const tool_calls = calls.map(({ name, input }, index) => ({
    ...(streamed && { index }),
    id: newId('call'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const cited = { ...source, start_index: 0, end_index: text?.length ?? 0 }
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(calls.length > 0 && { tool_calls }),
    ...(source && { annotations: [{ type: 'url_citation', url_citation: cited }] }),
  }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const tokens = { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out }
  if (!streamed)
    return { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage: tokens }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  return [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage: tokens },
  ]
}
