import type { Session } from './session.ts'

/** Takes the notes for the caller's next reply: that the conversation was lost, or that some tools are unavailable. */
export function takeSessionNotes(session: Session): string[] {
  const { lost, unsupportedServers } = session
  session.lost = undefined
  session.unsupportedServers = []
  const notes = [
    lost !== undefined &&
      `[The earlier conversation of this session is lost: ${lost}. The agent starts without it.]\n\n`,
    unsupportedServers.length > 0 &&
      `[The agent does not support these MCP servers and works without them: ${unsupportedServers.join(', ')}.]\n\n`,
  ]
  return notes.filter((note) => note !== false)
}
