import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { TurnEvent } from './turn-event.ts'

/** The update that tells a client of an event. */
export function updateOf(event: TurnEvent, windowTokens: number): SessionUpdate {
  switch (event.type) {
    case 'text.added':
      return { sessionUpdate: 'agent_message_chunk', content: textContent(event.text) }
    case 'reasoning.added':
      return { sessionUpdate: 'agent_thought_chunk', content: textContent(event.text) }
    case 'tool.asked': {
      const { id, name, kind, title, input } = event
      return { sessionUpdate: 'tool_call', toolCallId: id, name, kind, title, status: 'pending', rawInput: input }
    }
    case 'tool.working':
      return { sessionUpdate: 'tool_call_update', toolCallId: event.id, status: 'in_progress' }
    case 'tool.finished':
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: event.id,
        status: event.failed ? 'failed' : 'completed',
        content: [{ type: 'content', content: textContent(event.text) }],
      }
    case 'usage.counted': {
      const cost = event.costUsd === undefined ? {} : { cost: { amount: event.costUsd, currency: 'USD' } }
      return { sessionUpdate: 'usage_update', used: event.usedTokens, size: windowTokens, ...cost }
    }
    default:
      return event satisfies never
  }
}

export const textContent = (text: string) => ({ type: 'text' as const, text })
