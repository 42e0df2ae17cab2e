import type { Session } from './session.ts'

/**
 * Returns the notes for the caller's next reply, and removes them from the session: that the conversation was lost, or that some
 * tools are unavailable.
 */
export function takeSessionNotes(session: Session): string[] {
  const { lossReason, unsupportedServers } = session
  session.lossReason = undefined
  session.unsupportedServers = []
  const notes: string[] = []
  if (lossReason !== undefined)
    notes.push(`[The earlier conversation of this session is lost: ${lossReason}. The agent starts without it.]\n\n`)
  if (unsupportedServers.length > 0) {
    const names = unsupportedServers.join(', ')
    notes.push(`[The agent does not support these MCP servers and works without them: ${names}.]\n\n`)
  }
  return notes
}
