import { useEffect, useState } from 'preact/hooks'
import { addressOf } from '../api/client.ts'
import type { InternEntry, InternText } from '../api/types.ts'
import { withEntry, withText } from './transcript.ts'

/** What is said and done in a session, as it happens. The browser comes again by itself where the stream breaks. */
export function useTranscript(internId: string, sessionId: string, isOn: boolean): InternEntry[] | undefined {
  const [entries, setEntries] = useState<InternEntry[]>()
  useEffect(() => {
    if (!isOn) return
    const params = { internId, sessionId }
    const source = new EventSource(addressOf('GET /interns/{internId}/sessions/{sessionId}/events', { params }))
    const hear = <T>(name: string, put: (before: InternEntry[], data: T) => InternEntry[]) =>
      source.addEventListener(name, (event) => {
        const data = JSON.parse((event as MessageEvent<string>).data) as T
        setEntries((before) => put(before ?? [], data))
      })
    hear<InternEntry>('entry', withEntry)
    hear<InternText>('text', withText)
    return () => source.close()
  }, [internId, sessionId, isOn])
  return entries
}
