import { useLocation } from 'preact-iso/router'
import { Composer } from './composer.tsx'
import { begin } from './intern-messages.ts'
import type { Asker } from './intern-updates.ts'

/** Begins a conversation, and leads to it. */
export function NewSession({ intern }: { intern: Asker }) {
  const { route } = useLocation()
  const send = async (text: string) => {
    const session = await begin(intern, text)
    if (session !== undefined) route(`/interns/${intern.id}/${encodeURIComponent(session)}`)
    return session !== undefined
  }
  return <Composer label={`Start a session with ${intern.name}`} send={send} />
}
