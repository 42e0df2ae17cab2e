import { z } from 'zod'
import { ChatRequest } from '#chat/chat-request.ts'
import type { Chunk, ChunkChoice, Delta, FinishReason } from '#chat/chunk.ts'
import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import { detailsOf, endsThought, type Thought } from '#chat/thoughts.ts'
import type { Usage } from '#chat/usage.ts'
import type { AnswerHead, ClientWire, CostNote, StreamWriter } from '../../wire.ts'
import { chatPreset } from './preset.ts'

/** Clients of OpenAI chat completions. */
export const chatClient: ClientWire = {
  protocol: 'openai-chat',
  operation: {
    id: 'createChatCompletion',
    path: '/chat/completions',
    summary: 'Answer a chat, streamed or whole',
    description:
      'OpenAI chat completions for every model of the catalogue. Fields not known here go to the provider as they are.',
    request: ChatRequest,
    response: z.looseObject({ id: z.string(), object: z.literal('chat.completion') }),
  },
  apiType: 'completions',
  toChat: (body) => body as ChatRequest,
  preset: chatPreset,
  keepalive: ': keepalive\n\n',
  writer: chatWriter,
  writeBody: completionOf,
  passThroughEnd: 'data: [DONE]\n\n',
  usageEvent(raw, cost, includeUsage) {
    const text = raw.toString('utf8')
    const chunk = JSON.parse(text.slice(text.indexOf('{'))) as Chunk
    const choices = includeUsage || chunk.choices?.length > 0 ? chunk.choices : [unasked]
    return `data: ${JSON.stringify({ ...chunk, choices, usage: { ...chunk.usage, cost: cost.costUsd } })}\n\n`
  },
}

/**
 * Usage is told whether or not a client asked for it. One that did expects a chunk without choices; one that did not may
 * take the first choice of every chunk without looking, so it gets one that adds nothing.
 */
const unasked: ChunkChoice = { index: 0, delta: {}, finish_reason: null }

function chatWriter(head: AnswerHead, { includeUsage }: { includeUsage: boolean }): StreamWriter {
  const chunk = (choices: ChunkChoice[], more: Partial<Chunk> = {}): string => {
    const { id, model, createdSeconds: created } = head
    const whole: Chunk = { id, object: 'chat.completion.chunk', created, model, choices, ...more }
    return `data: ${JSON.stringify(whole)}\n\n`
  }
  const say = (delta: Delta, finish: FinishReason | null = null) => chunk([{ index: 0, delta, finish_reason: finish }])
  let begun = false
  let tokens: TokenCounts | undefined
  let thoughts = 0

  function thinks(piece: Thought): string {
    const details = detailsOf(piece, thoughts)
    if (endsThought(piece)) thoughts++
    if (!piece.text && details.length === 0) return ''
    return say({
      ...(piece.text && { reasoning: piece.text }),
      ...(details.length > 0 && { reasoning_details: details }),
    })
  }

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
        return say({ content: event.text })
      case 'reasoning':
        return thinks(event)
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
      case 'piece':
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
      const usage = tokens ? chunk(includeUsage ? [] : [unasked], { usage: usageOf(tokens, cost) }) : ''
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
  const said = gathered(events)
  const details = said.thoughts.flatMap(detailsOf)
  const message = {
    role: 'assistant',
    content: said.text || (said.calls.size > 0 || said.refusal ? null : ''),
    refusal: said.refusal || null,
    ...(said.reasoning && { reasoning: said.reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(said.calls.size > 0 && { tool_calls: [...said.calls.values()] }),
  }
  const { id, model, createdSeconds: created } = head
  const choice = { index: 0, message, finish_reason: said.finish, logprobs: null }
  const usage = said.tokens && usageOf(said.tokens, cost)
  const answer = { id, object: 'chat.completion', created, model, choices: [choice], system_fingerprint: null }
  return { ...answer, ...(usage && { usage }) }
}

function gathered(events: AnswerEvent[]) {
  const said = {
    text: '',
    reasoning: '',
    refusal: '',
    thoughts: [] as Thought[],
    calls: new Map<number, Call>(),
    finish: 'stop' as FinishReason,
    tokens: undefined as TokenCounts | undefined,
  }
  let thoughtIsOpen = false
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal') said[event.type] += event.text
    if (event.type === 'reasoning') {
      const { type: _type, ...piece } = event
      if (thoughtIsOpen) said.thoughts.push(joined(said.thoughts.pop()!, piece))
      else said.thoughts.push(piece)
      thoughtIsOpen = !endsThought(piece)
    } else if (event.type === 'tool_call') {
      said.calls.set(event.index, { id: event.id, type: 'function', function: { name: event.name, arguments: '' } })
    } else if (event.type === 'tool_arguments') {
      const call = said.calls.get(event.index)
      if (call) call.function.arguments += event.text
    } else if (event.type === 'finish') said.finish = event.reason
    else if (event.type === 'usage') said.tokens = event.tokens
  }
  return said
}

const joined = (thought: Thought, more: Thought): Thought => ({ ...thought, ...more, text: thought.text + more.text })
