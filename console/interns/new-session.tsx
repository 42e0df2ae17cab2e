import { useLocation } from 'preact-iso/router'
import { Composer } from './composer.tsx'
import type { Asker } from './live.ts'
import { begin } from './turns.ts'

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
