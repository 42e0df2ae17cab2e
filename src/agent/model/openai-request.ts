import type { Message, ModelRequest } from './model.ts'

/** The body of a streamed `/chat/completions` request. */
export function requestBody(model: string, { messages, tools }: ModelRequest): Record<string, unknown> {
  return {
    model,
    messages: messages.map(messageBody),
    ...(tools.length ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
    stream: true,
    stream_options: { include_usage: true },
  }
}

function messageBody(message: Message): Record<string, unknown> {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text }
  if (message.role !== 'assistant') return { role: message.role, content: message.text }
  const calls = message.calls?.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }))
  return {
    role: 'assistant',
    content: message.text || (calls ? null : ''),
    ...(calls ? { tool_calls: calls } : {}),
    ...(message.details ? { reasoning_details: message.details } : {}),
  }
}
