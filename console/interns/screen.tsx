import '../components/lazy-chunk.ts'
import { useRoute } from 'preact-iso/router'
import { InternPage } from './intern-page.tsx'
import { InternsHome } from './interns-home.tsx'
import { SessionPage } from './sessions/session-page.tsx'

/** `/interns` is the list, `/interns/<id>` an intern, `/interns/<id>/<session>` a session. */
export function Screen() {
  const [id, session] = useRoute().params.rest?.split('/') ?? []
  if (id && session) return <SessionPage key={session} internId={id} sessionId={session} />
  return id ? <InternPage key={id} internId={id} /> : <InternsHome />
}
