import { useEffect, useState } from 'preact/hooks'
import { linkTo } from '../../api/client.ts'
import { keepOpen } from '../../api/connection/stream.ts'
import type { InternEntry, InternText } from '../../api/types.ts'
import { withEntry, withText } from './transcript.ts'

/** The live transcript of a session. */
export function useTranscript(internId: string, sessionId: string, isEnabled: boolean): InternEntry[] | undefined {
  const [entries, setEntries] = useState<InternEntry[]>()
  useEffect(() => {
    if (!isEnabled) return
    const params = { internId, sessionId }
    return keepOpen(linkTo('GET /interns/{internId}/sessions/{sessionId}/events', { params }), (stream) => {
      const listen = <T>(name: string, merge: (before: InternEntry[], data: T) => InternEntry[]) =>
        stream.addEventListener(name, (event) => {
          const data = JSON.parse((event as MessageEvent<string>).data) as T
          setEntries((before) => merge(before ?? [], data))
        })
      listen<InternEntry>('entry', withEntry)
      listen<InternText>('text', withText)
    })
  }, [internId, sessionId, isEnabled])
  return entries
}
