import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Message } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import type { SessionEntry } from '../session/session.ts'
import { toCallEvent } from '../tool-calls/tool-call.ts'
import { textContent, toSessionUpdate } from './acp-updates.ts'

/** Returns the whole history of a session as updates for its client, including compacted messages. */
export function toReplayUpdates(entries: SessionEntry[], tools: Tool[]): SessionUpdate[] {
  return entries.flatMap((entry) => (entry.type === 'message.added' ? messageUpdates(entry.message, tools) : []))
}

function messageUpdates(message: Message, tools: Tool[]): SessionUpdate[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return message.isReminder ? [] : [{ sessionUpdate: 'user_message_chunk', content: textContent(message.text) }]
    case 'tool':
      // Stored results do not record a failure; the text of a failed call says so.
      return [toSessionUpdate({ type: 'tool.finished', id: message.callId, failed: false, text: message.text })]
    case 'assistant': {
      const { reasoning, text, calls = [] } = message
      return [
        ...(reasoning ? [toSessionUpdate({ type: 'reasoning.added', text: reasoning })] : []),
        ...(text ? [toSessionUpdate({ type: 'text.added', text })] : []),
        ...calls.map((call) => toSessionUpdate(toCallEvent(tools, call))),
      ]
    }
    default:
      return message satisfies never
  }
}
