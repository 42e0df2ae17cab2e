import type { AssistantMessage, Message } from '../../model/model.ts'

/**
 * Gives each call of a response an id that no other call of the conversation has. Some models and model servers repeat ids: with
 * one id for two calls, their results and permissions would be mixed up, and strict providers refuse the conversation.
 */
export function withUniqueCallIds(message: AssistantMessage, conversation: readonly Message[]): AssistantMessage {
  if (!message.calls) return message
  const earlierCalls = conversation.flatMap((earlier) => (earlier.role === 'assistant' ? (earlier.calls ?? []) : []))
  const usedIds = new Set(earlierCalls.map(({ id }) => id))
  const calls = message.calls.map((call) => {
    let id = call.id
    for (let number = 2; usedIds.has(id); number++) id = `${call.id}_${number}`
    usedIds.add(id)
    return id === call.id ? call : { ...call, id }
  })
  return { ...message, calls }
}
