import type { Body } from '../../protocol/request-body.ts'

type Call = { id?: unknown }
type Message = { role?: unknown; tool_calls?: unknown; tool_call_id?: unknown } & Body

/**
 * Gives an id to calls and results whose id is empty. Some servers send no ids, so that clients have none. The results belong to
 * the calls in the same order. A body without such a result is returned unchanged.
 */
export function withCallIds(body: Body): Body {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasEmptyId)) return body
  const waitingIds: string[] = []
  const completed = (messages as Message[]).map((message, at) => {
    if (hasEmptyId(message)) return { ...message, tool_call_id: waitingIds.shift() ?? '' }
    if (message?.role !== 'assistant' || !Array.isArray(message.tool_calls)) return message
    const tool_calls = (message.tool_calls as (Call | null)[]).map((call, index) => {
      if (call?.id !== '') return call
      const id = `call_${at}_${index}`
      waitingIds.push(id)
      return { ...call, id }
    })
    return { ...message, tool_calls }
  })
  return { ...body, messages: completed }
}

const hasEmptyId = (message: Message | null) => message?.role === 'tool' && message.tool_call_id === ''
