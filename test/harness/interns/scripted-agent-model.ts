import { playForAgent } from '#chat/demo/agent-answer.ts'
import type { Message } from '#chat/message.ts'
import type { UpstreamProtocol } from '../upstream/provider-facts.ts'
import { askedOf, type Received } from '../upstream/scripted-upstream.ts'
import { strictRefusal } from '../upstream/strict-upstreams.ts'
import { type Said, saidBy } from '../upstream/upstream-answers.ts'

type Tool = { type: string; function: { name: string; parameters?: Record<string, unknown> } }
type Conversation = { messages: Message[]; tools: Tool[] }

const declared = (name: string, parameters?: Record<string, unknown>): Tool => ({
  type: 'function',
  function: { name, ...(parameters && { parameters }) },
})

const asText = (content: unknown): string =>
  typeof content === 'string' ? content : [content ?? ''].flat().map(textOfPart).join('')

const textOfPart = (part: any): string =>
  typeof part === 'string' ? part : (part?.text ?? (part?.content === undefined ? '' : asText(part.content)))

const assistant = (content = ''): Message => ({ role: 'assistant', content })
const user = (content: string): Message => ({ role: 'user', content })
const result = (content: string): Message => ({ role: 'tool', content, tool_call_id: 'call' })

/** The conversation of a request, as chat messages without calls. */
const conversations: Record<UpstreamProtocol, (body: any) => Conversation> = {
  'openai-chat': ({ messages, tools = [] }) => ({
    messages: messages.map(({ role, content }: any) =>
      // Later system messages are part of the message beside them.
      ({
        role,
        content: asText(content)
          .replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '')
          .trim(),
      }),
    ),
    tools,
  }),
  'openai-responses': ({ input, tools = [] }) => ({
    messages: [input].flat().flatMap((item: any): Message[] => {
      if (typeof item === 'string') return [user(item)]
      if (item.type === 'function_call_output') return [result(asText(item.output))]
      if (item.type === 'function_call' || item.role === 'assistant') return [assistant(asText(item.content ?? ''))]
      return item.role === 'user' ? [user(asText(item.content))] : []
    }),
    tools: tools.map(({ name, parameters }: any) => declared(name, parameters)),
  }),
  'anthropic-messages': ({ messages, tools = [] }) => ({
    messages: messages.flatMap(({ role, content }: any): Message[] => {
      if (role !== 'user') return role === 'assistant' ? [assistant(asText(content))] : []
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      const results = parts.filter(({ type }: any) => type === 'tool_result')
      const text = asText(parts.filter(({ type }: any) => type === 'text'))
      return [...results.map((part: any) => result(asText(part.content ?? ''))), ...(text ? [user(text)] : [])]
    }),
    tools: tools.map(({ name, input_schema }: any) => declared(name, input_schema)),
  }),
  'google-gemini': ({ contents, tools = [] }) => ({
    messages: contents.flatMap(({ role, parts }: any): Message[] => {
      if (role === 'model') return [assistant(asText(parts))]
      const results = parts.flatMap((part: any) => part.functionResponse ?? [])
      const text = asText(parts)
      const output = ({ response }: any) => {
        const value = response?.output || response?.error || response
        return typeof value === 'string' ? value : JSON.stringify(value)
      }
      return [...results.map((part: any) => result(output(part))), ...(text ? [user(text)] : [])]
    }),
    tools: tools
      .flatMap(({ functionDeclarations = [] }: any) => functionDeclarations)
      .map(({ name, parametersJsonSchema }: any) => declared(name, parametersJsonSchema)),
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
    const { protocol, streamed } = askedOf(received)
    return saidBy(protocol, answerTo(conversations[protocol as UpstreamProtocol](received.body)), streamed)
  }
}

function answerTo(conversation: Conversation): Said {
  const performed = playForAgent(conversation)
  if (!performed) return { text: 'Title' }
  const reply: { text?: string; calls: { name: string; arguments: string }[] } = { calls: [] }
  for (const { event: say } of performed) {
    if (say.type === 'text') reply.text = (reply.text ?? '') + say.text
    if (say.type === 'tool_call') reply.calls[say.index] = { name: say.name, arguments: '' }
    if (say.type === 'tool_arguments') reply.calls[say.index]!.arguments += say.text
  }
  return { ...reply, calls: reply.calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) })) }
}
