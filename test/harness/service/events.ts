import { SseReader } from '#platform/net/sse.ts'
import { until } from '../until.ts'

/** One event of `GET /events`. */
type ReceivedEvent = { type: string; id: string; data: any }

/** A stream of events, and the events received so far. */
export type EventListener = {
  status: number
  events: ReceivedEvent[]
  /** All received lines, including comments. */
  text: () => string
  /** The data of the events of one type. */
  dataOf: (type: string) => any[]
  /** Resolves with the first event of a type that meets the condition. */
  waitFor: (type: string, isWanted?: (data: any) => boolean) => Promise<any>
  lastId: () => string
  /** Whether the server has ended it. */
  ended: () => boolean
  close: () => void
}

type Options = { key?: string; cookie?: string; path?: string; query?: string; lastEventId?: string }

/** Listens until it is closed, or the stream ends. */
export async function listen(
  url: string,
  { key, cookie, path = '/events', query = '', lastEventId }: Options,
): Promise<EventListener> {
  const disconnect = new AbortController()
  const response = await fetch(`${url}${path}${query}`, {
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(cookie && { cookie }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: disconnect.signal,
  })
  const events: ReceivedEvent[] = []
  const state = { text: '', lastId: lastEventId ?? '', ended: false }
  const reader = new SseReader()
  const read = async () => {
    for await (const chunk of response.body!) {
      state.text += Buffer.from(chunk).toString()
      for (const [, id] of Buffer.from(chunk)
        .toString()
        .matchAll(/^id: (.*)$/gm))
        state.lastId = id!
      for (const { event = '', data, raw } of reader.push(Buffer.from(chunk)))
        events.push({ type: event, id: /^id: (.*)$/m.exec(raw.toString())?.[1] ?? '', data: JSON.parse(data) })
    }
    state.ended = true
  }
  void read().catch(() => {
    state.ended = true
  })
  const dataOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data)
  return {
    status: response.status,
    events,
    text: () => state.text,
    dataOf,
    waitFor: (type, isWanted = () => true) => until(() => dataOf(type).find(isWanted) ?? false),
    lastId: () => state.lastId,
    ended: () => state.ended,
    close: () => disconnect.abort(),
  }
}
