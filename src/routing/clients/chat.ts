import type { ChatRequest } from '#chat/chat-request.ts'
import type { Chunk, ChunkChoice, Delta, FinishReason } from '#chat/chunk.ts'
import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { Usage } from '#chat/usage.ts'
import type { AnswerHead, ClientWire, CostNote, StreamWriter } from '../wire.ts'

/** Clients of OpenAI chat completions. */
export const chatClient: ClientWire = {
  protocol: 'openai-chat',
  toChat: (body) => body as ChatRequest,
  writer: chatWriter,
  writeBody: completionOf,
  passThroughEnd: 'data: [DONE]\n\n',
  usageEvent(raw, cost, includeUsage) {
    const text = raw.toString('utf8')
    const chunk = JSON.parse(text.slice(text.indexOf('{'))) as Chunk
    if (!includeUsage) {
      if (chunk.choices.length === 0) return ''
      const { usage: _usage, ...rest } = chunk
      return `data: ${JSON.stringify(rest)}\n\n`
    }
    return `data: ${JSON.stringify({ ...chunk, usage: { ...chunk.usage, cost: cost.costUsd } })}\n\n`
  },
}

function chatWriter(head: AnswerHead, { includeUsage }: { includeUsage: boolean }): StreamWriter {
  const chunk = (choices: ChunkChoice[], more: Partial<Chunk> = {}): string => {
    const { id, model, createdSeconds: created } = head
    const whole: Chunk = { id, object: 'chat.completion.chunk', created, model, choices, ...more }
    return `data: ${JSON.stringify(whole)}\n\n`
  }
  const say = (delta: Delta, finish: FinishReason | null = null) => chunk([{ index: 0, delta, finish_reason: finish }])
  let begun = false
  let tokens: TokenCounts | undefined

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
        return say({ content: event.text })
      case 'reasoning':
        return event.text ? say({ reasoning: event.text }) : ''
      case 'refusal':
        return say({ refusal: event.text })
      case 'tool_call':
        return say({
          tool_calls: [
            { index: event.index, id: event.id, type: 'function', function: { name: event.name, arguments: '' } },
          ],
        })
      case 'tool_arguments':
        return say({ tool_calls: [{ index: event.index, function: { arguments: event.text } }] })
      case 'finish':
        return say({}, event.reason)
      case 'usage':
        tokens = event.tokens
        return ''
      case 'started':
      case 'error':
        return ''
      default:
        return event satisfies never
    }
  }

  return {
    event(event) {
      const text = write(event)
      if (begun || text === '') return text
      begun = true
      return say({ role: 'assistant', content: '' }) + text
    },
    end: (cost) => {
      const usage = includeUsage && tokens ? chunk([], { usage: usageOf(tokens, cost) }) : ''
      return `${usage}data: [DONE]\n\n`
    },
    fail: (error) => `${chunk([{ index: 0, delta: {}, finish_reason: 'error' }], { error })}data: [DONE]\n\n`,
  }
}

export function usageOf(tokens: TokenCounts, cost: CostNote | undefined): Usage {
  return {
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_tokens: tokens.prompt + tokens.completion,
    ...(cost && { cost: cost.costUsd }),
    ...((tokens.cached > 0 || tokens.cacheWritten > 0) && {
      prompt_tokens_details: {
        cached_tokens: tokens.cached,
        ...(tokens.cacheWritten > 0 && { cache_write_tokens: tokens.cacheWritten }),
      },
    }),
    ...(tokens.reasoning > 0 && { completion_tokens_details: { reasoning_tokens: tokens.reasoning } }),
  }
}

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } }

function completionOf(head: AnswerHead, events: AnswerEvent[], cost: CostNote | undefined): object {
  const calls = new Map<number, Call>()
  const texts = { text: '', reasoning: '', refusal: '' }
  let finish: FinishReason = 'stop'
  let usage: Usage | undefined
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal') texts[event.type] += event.text
    else if (event.type === 'tool_call')
      calls.set(event.index, { id: event.id, type: 'function', function: { name: event.name, arguments: '' } })
    else if (event.type === 'tool_arguments') appendArguments(calls.get(event.index), event.text)
    else if (event.type === 'finish') finish = event.reason
    else if (event.type === 'usage') usage = usageOf(event.tokens, cost)
  }
  const message = {
    role: 'assistant',
    content: texts.text || (calls.size > 0 || texts.refusal ? null : ''),
    refusal: texts.refusal || null,
    ...(texts.reasoning && { reasoning: texts.reasoning }),
    ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
  }
  const { id, model, createdSeconds: created } = head
  const choice = { index: 0, message, finish_reason: finish, logprobs: null }
  return { id, object: 'chat.completion', created, model, choices: [choice], ...(usage && { usage }) }
}

function appendArguments(call: Call | undefined, text: string): void {
  if (call) call.function.arguments += text
}
