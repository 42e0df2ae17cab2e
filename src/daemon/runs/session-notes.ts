import type { Session } from './session.ts'

/** Whoever goes on with a conversation must know when the agent does not, or lacks a part of its tools: once. */
export function takeSessionNotes(session: Session): string[] {
  const { lost, withheld } = session
  session.lost = undefined
  session.withheld = []
  const notes = [
    lost !== undefined &&
      `[What was said in this session before is lost: ${lost}. The agent begins anew, without it.]\n\n`,
    withheld.length > 0 &&
      `[The agent cannot reach these servers of tools, and goes without: ${withheld.join(', ')}.]\n\n`,
  ]
  return notes.filter((note) => note !== false)
}
