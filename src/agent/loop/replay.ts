import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { Message } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'
import { textContent, updateOf } from './acp-updates.ts'
import type { SessionEntry } from './session.ts'
import { announcementOf } from './tool-call.ts'

/** Returns the whole history of a session as updates for its client, including compacted messages. */
export function replayOf(entries: SessionEntry[], tools: Tool[]): SessionUpdate[] {
  return entries.flatMap((entry) => (entry.type === 'message.added' ? updatesOf(entry.message, tools) : []))
}

function updatesOf(message: Message, tools: Tool[]): SessionUpdate[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return message.isReminder ? [] : [{ sessionUpdate: 'user_message_chunk', content: textContent(message.text) }]
    case 'tool':
      return [updateOf({ type: 'tool.finished', id: message.callId, failed: false, text: message.text }, 0)]
    case 'assistant': {
      const { reasoning, text, calls = [] } = message
      return [
        ...(reasoning ? [updateOf({ type: 'reasoning.added', text: reasoning }, 0)] : []),
        ...(text ? [updateOf({ type: 'text.added', text }, 0)] : []),
        ...calls.map((call) => updateOf(announcementOf(tools, call), 0)),
      ]
    }
    default:
      return message satisfies never
  }
}
