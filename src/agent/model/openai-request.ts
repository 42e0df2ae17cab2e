import type { Image, Message, ModelRequest } from './model.ts'

/** Builds the body of a streamed `/chat/completions` request. */
export function toRequestBody(model: string, { messages, tools }: ModelRequest): Record<string, unknown> {
  return {
    model,
    messages: messages.flatMap((message, index) => [toMessageBody(message), ...imagesAfter(messages, index)]),
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: tool })) : undefined,
    stream: true,
    stream_options: { include_usage: true },
  }
}

/** Returns the images of tool results as a user message after the last result: a result can only contain text. */
function imagesAfter(messages: Message[], index: number): Record<string, unknown>[] {
  if (messages[index]?.role !== 'tool' || messages[index + 1]?.role === 'tool') return []
  const from = messages.slice(0, index).findLastIndex(({ role }) => role !== 'tool') + 1
  const images = messages.slice(from, index + 1).flatMap((message) => (message.role === 'tool' && message.images) || [])
  if (images.length === 0) return []
  const text = 'The images of these results, in their order:'
  return [{ role: 'user', content: [{ type: 'text', text }, ...images.map(toImagePart)] }]
}

const toImagePart = ({ mimeType, data }: Image) => ({
  type: 'image_url',
  image_url: { url: `data:${mimeType};base64,${data}` },
})

function toMessageBody(message: Message): Record<string, unknown> {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text }
  if (message.role === 'user' && message.images) {
    const textParts = message.text === '' ? [] : [{ type: 'text', text: message.text }]
    return { role: 'user', content: [...textParts, ...message.images.map(toImagePart)] }
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.text }
  const calls = message.calls?.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }))
  return {
    role: 'assistant',
    // OpenAI requires a text unless there are tool calls.
    content: message.text || (calls ? null : ''),
    tool_calls: calls,
    // Fields of OpenRouter and Signalbox. `reasoning_details` contain the text of `reasoning`.
    ...(message.details
      ? { reasoning_details: message.details }
      : message.reasoning && { reasoning: message.reasoning }),
  }
}
