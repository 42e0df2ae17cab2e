import { playForAgent } from '#chat/demo/agent-response.ts'
import type { Message } from '#chat/message.ts'
import type { ScriptedResponse, SimulatedProtocol } from '../upstream/provider-facts.ts'
import { parseRequest, type Received } from '../upstream/scripted-upstream.ts'
import { strictRefusal } from '../upstream/strict-upstreams.ts'
import { encodeResponse } from '../upstream/upstream-responses.ts'

type Tool = { type: string; function: { name: string; parameters?: Record<string, unknown> } }
type Conversation = { messages: Message[]; tools: Tool[] }

const functionTool = (name: string, parameters?: Record<string, unknown>): Tool => ({
  type: 'function',
  function: { name, ...(parameters && { parameters }) },
})

const asText = (content: unknown): string =>
  typeof content === 'string' ? content : [content ?? ''].flat().map(textOfPart).join('')

const textOfPart = (part: any): string =>
  typeof part === 'string' ? part : (part?.text ?? (part?.content === undefined ? '' : asText(part.content)))

/** Claude Code adds texts to prompts, which name its models and could start a scenario. */
const withoutReminders = (text: string) => text.replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '').trim()
const assistantMessage = (content = ''): Message => ({ role: 'assistant', content })
const userMessage = (content: string): Message => ({ role: 'user', content: withoutReminders(content) })
const toolMessage = (content: string): Message => ({ role: 'tool', content, tool_call_id: 'call' })

/** The conversation of a request, as chat messages without calls. */
const conversations: Record<SimulatedProtocol, (body: any) => Conversation> = {
  'openai-chat': ({ messages, tools = [] }) => ({
    // Later system messages are part of the message beside them.
    messages: messages.map(({ role, content }: any) => ({ role, content: withoutReminders(asText(content)) })),
    tools,
  }),
  'openai-responses': ({ input, tools = [] }) => ({
    messages: [input].flat().flatMap((item: any): Message[] => {
      if (typeof item === 'string') return [userMessage(item)]
      if (item.type === 'function_call_output') return [toolMessage(asText(item.output))]
      if (item.type === 'function_call' || item.role === 'assistant')
        return [assistantMessage(asText(item.content ?? ''))]
      return item.role === 'user' ? [userMessage(asText(item.content))] : []
    }),
    tools: tools.map(({ name, parameters }: any) => functionTool(name, parameters)),
  }),
  'anthropic-messages': ({ messages, tools = [] }) => ({
    messages: messages.flatMap(({ role, content }: any): Message[] => {
      if (role !== 'user') return role === 'assistant' ? [assistantMessage(asText(content))] : []
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      const results = parts.filter(({ type }: any) => type === 'tool_result')
      const text = asText(parts.filter(({ type }: any) => type === 'text'))
      return [
        ...results.map((part: any) => toolMessage(asText(part.content ?? ''))),
        ...(text ? [userMessage(text)] : []),
      ]
    }),
    tools: tools.map(({ name, input_schema }: any) => functionTool(name, input_schema)),
  }),
  'google-gemini': ({ contents, tools = [] }) => ({
    messages: contents.flatMap(({ role, parts }: any): Message[] => {
      if (role === 'model') return [assistantMessage(asText(parts))]
      const results = parts.flatMap((part: any) => part.functionResponse ?? [])
      const text = asText(parts)
      const output = ({ response }: any) => {
        const value = response?.output || response?.error || response
        return typeof value === 'string' ? value : JSON.stringify(value)
      }
      return [...results.map((part: any) => toolMessage(output(part))), ...(text ? [userMessage(text)] : [])]
    }),
    tools: tools
      .flatMap(({ functionDeclarations = [] }: any) => functionDeclarations)
      .map(({ name, parametersJsonSchema }: any) => functionTool(name, parametersJsonSchema)),
  }),
}

/**
 * Answers a coding agent in each protocol with the scenarios of the demo model (docs/agents.md), and refuses what a strict
 * server refuses. A request without known tools, such as for a title, gets a word.
 *
 * @param refusals receives the message of each refusal.
 */
export function agentModel(refusals: string[] = []) {
  return (received: Received) => {
    if (received.path.endsWith('/count_tokens'))
      return { status: 200, type: 'application/json', body: '{"input_tokens":100}' }
    const refusal = strictRefusal(received)
    if (refusal) {
      refusals.push(refusal.body)
      return refusal
    }
    const { protocol, streamed } = parseRequest(received)
    return encodeResponse(protocol, respondTo(conversations[protocol as SimulatedProtocol](received.body)), streamed)
  }
}

function respondTo(conversation: Conversation): ScriptedResponse {
  const steps = playForAgent(conversation)
  if (!steps) return { text: 'Title' }
  const reply: { text?: string; calls: { name: string; arguments: string }[] } = { calls: [] }
  for (const { event } of steps) {
    if (event.type === 'text') reply.text = (reply.text ?? '') + event.text
    if (event.type === 'tool_call') reply.calls[event.index] = { name: event.name, arguments: '' }
    if (event.type === 'tool_arguments') reply.calls[event.index]!.arguments += event.text
  }
  return { ...reply, calls: reply.calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) })) }
}
