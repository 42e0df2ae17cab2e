import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { FileChange } from '../../tools/tool.ts'
import type { AgentEvent } from '../agent-event.ts'

/** Translates an event to a session update of the protocol. @param windowTokens for `usage.counted` only. */
export function toSessionUpdate(event: AgentEvent, windowTokens = 0): SessionUpdate {
  switch (event.type) {
    case 'text.added':
      return { sessionUpdate: 'agent_message_chunk', content: textContent(event.text) }
    case 'reasoning.added':
      return { sessionUpdate: 'agent_thought_chunk', content: textContent(event.text) }
    case 'tool.called': {
      const { id, name, kind, title, paths, input } = event
      const locations = paths.length > 0 ? { locations: paths.map((path) => ({ path })) } : {}
      return {
        sessionUpdate: 'tool_call',
        toolCallId: id,
        name,
        kind,
        title,
        status: 'pending',
        rawInput: input,
        ...locations,
      }
    }
    case 'tool.working': {
      const { id, output } = event
      const content =
        output === undefined ? {} : { content: [{ type: 'content' as const, content: textContent(output) }] }
      return { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress', ...content }
    }
    case 'tool.finished':
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: event.id,
        status: event.failed ? 'failed' : 'completed',
        content: [{ type: 'content', content: textContent(event.text) }, ...toDiffContents(event.changes)],
      }
    case 'server.unavailable': {
      const { callId, server, reason } = event
      return {
        sessionUpdate: 'tool_call',
        toolCallId: callId,
        name: 'mcp_server',
        kind: 'other',
        status: 'failed',
        title: `MCP server ${server} is not available`,
        content: [{ type: 'content', content: textContent(reason) }],
        // The protocol has no update for this: a client that knows the field `unavailableServer` can log it.
        _meta: { signalbox: { unavailableServer: { name: server, reason } } },
      }
    }
    case 'plan.made':
      return {
        sessionUpdate: 'plan',
        entries: event.steps.map(({ text, status }) => ({ content: text, status, priority: 'medium' })),
      }
    case 'usage.counted': {
      const cost = event.costUsd === undefined ? {} : { cost: { amount: event.costUsd, currency: 'USD' } }
      return { sessionUpdate: 'usage_update', used: event.contextTokens, size: windowTokens, ...cost }
    }
    default:
      return event satisfies never
  }
}

/** The most characters of the file contents in one update. Larger ones are omitted, because a message has a maximum length. */
const maxCharacters = 500_000

function toDiffContents(changes: FileChange[] = []) {
  const size = changes.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + after.length, 0)
  if (size > maxCharacters) return []
  return changes.map(({ path, before, after }) => ({ type: 'diff' as const, path, oldText: before, newText: after }))
}

export const textContent = (text: string) => ({ type: 'text' as const, text })
