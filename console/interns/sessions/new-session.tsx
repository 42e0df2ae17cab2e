import { useLocation } from 'preact-iso/router'
import { startSession } from '../intern-messages.ts'
import type { InternRef } from '../intern-updates.ts'
import { Composer } from './composer.tsx'

/** A message input that starts a session and opens its page. */
export function NewSession({ intern }: { intern: InternRef }) {
  const { route } = useLocation()
  const send = async (text: string) => {
    const session = await startSession(intern, text)
    if (session !== undefined) route(`/interns/${intern.id}/${encodeURIComponent(session)}`)
    return session !== undefined
  }
  return <Composer label={`Start a session with ${intern.name}`} onSend={send} />
}
