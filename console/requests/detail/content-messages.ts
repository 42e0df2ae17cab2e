import type { GenerationContent } from '../../api/types.ts'

/** A message with its role, text and tool calls. */
export type ContentMessage = { role: string; text: string; calls: { name: string; input: string }[] }

type Part = { type?: string; text?: unknown }
type Message = { role?: unknown; content?: unknown; tool_calls?: unknown; name?: unknown }

/** The messages of the prompt, in the format of chat completions for all protocols. The text is untrusted. */
export function promptMessages({ input }: GenerationContent): ContentMessage[] {
  return input.messages.map((message) => {
    const { role, content, tool_calls } = (message ?? {}) as Message
    const calls = Array.isArray(tool_calls) ? tool_calls.map(parseCall) : []
    return { role: typeof role === 'string' ? role : 'unknown', text: textOf(content), calls }
  })
}

/** The message of the response. */
export function responseMessage({ output }: GenerationContent): ContentMessage | undefined {
  const { completion, tool_calls } = output
  if (completion === null && tool_calls.length === 0) return undefined
  const calls = tool_calls.map(({ name, arguments: input }) => ({ name, input: formatJson(input) }))
  return { role: 'assistant', text: completion ?? '', calls }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === null || content === undefined ? '' : JSON.stringify(content)
  return content
    .map((part: Part) => (typeof part?.text === 'string' ? part.text : `[${part?.type ?? 'part'}]`))
    .join('\n')
}

function parseCall(call: unknown): ContentMessage['calls'][number] {
  const { function: functionCall } = (call ?? {}) as { function?: { name?: unknown; arguments?: unknown } }
  return { name: String(functionCall?.name ?? 'tool'), input: formatJson(String(functionCall?.arguments ?? '')) }
}

function formatJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
