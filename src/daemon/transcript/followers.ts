import type { Entry, TranscriptEvent } from '#interns/contract/transcript.ts'

/** The limits of unread events. A slower reader is disconnected; it can reconnect and resume. */
const limits = { events: 5_000, characters: 4 * 1024 * 1024 }
/** The limit of concurrent readers of one daemon. */
const maxFollowers = 64

type Follower = { sessionId: string; push: (event: TranscriptEvent) => void }

/** The readers that receive new events of sessions. */
export function createFollowers() {
  const followers = new Set<Follower>()
  return {
    has: (sessionId: string) => [...followers].some((follower) => follower.sessionId === sessionId),
    any: () => followers.size > 0,
    isFull: () => followers.size >= maxFollowers,
    send: (sessionId: string, event: TranscriptEvent) => {
      for (const follower of followers) if (follower.sessionId === sessionId) follower.push(event)
    },
    /** Streams the stored events, which `catchUp` reads page by page until one is empty, and then new events. */
    follow(
      sessionId: string,
      catchUp: () => TranscriptEvent[],
      signal: AbortSignal,
    ): AsyncIterableIterator<TranscriptEvent, undefined> {
      let stored: TranscriptEvent[] = []
      const incoming: TranscriptEvent[] = []
      let characters = 0
      let isCaughtUp = false
      const sent = new Map<number, { revision: number; length: number }>()
      let isOver = false
      let wake = () => {}
      const leave = () => {
        isOver = true
        followers.delete(follower)
        wake()
      }
      const follower: Follower = {
        sessionId,
        push: (event) => {
          incoming.push(event)
          characters += sizeOf(event)
          if (incoming.length > limits.events || characters > limits.characters) leave()
          wake()
        },
      }
      followers.add(follower)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()

      const nextEvent = (): TranscriptEvent | undefined => {
        if (!isCaughtUp && stored.length === 0) stored = catchUp()
        isCaughtUp ||= stored.length === 0
        if (!isCaughtUp) {
          const event = stored.shift()!
          if (event.type === 'entry') sent.set(event.entry.id, stateOf(event.entry))
          return event
        }
        for (;;) {
          const event = incoming.shift()
          if (!event) return undefined
          characters -= sizeOf(event)
          if (!wasSent(event, sent)) return event
        }
      }
      const next = async (): Promise<IteratorResult<TranscriptEvent, undefined>> => {
        for (;;) {
          const event = isOver ? undefined : nextEvent()
          if (event) return { done: false, value: event }
          if (isOver) return { done: true, value: undefined }
          await new Promise<void>((resolve) => (wake = resolve))
        }
      }
      const stream: AsyncIterableIterator<TranscriptEvent, undefined> = {
        next,
        return: async () => {
          leave()
          return { done: true, value: undefined }
        },
        [Symbol.asyncIterator]: () => stream,
      }
      return stream
    },
  }
}

type SentState = { revision: number; length: number }

const stateOf = (entry: Entry): SentState => ({
  revision: entry.revision,
  length: 'text' in entry ? entry.text.length : 0,
})

/** Whether the reader has received this event with the stored ones. */
function wasSent(event: TranscriptEvent, sent: ReadonlyMap<number, SentState>): boolean {
  if (event.type === 'entry') return event.entry.revision <= (sent.get(event.entry.id)?.revision ?? 0)
  return event.offset < (sent.get(event.id)?.length ?? 0)
}

const sizeOf = (event: TranscriptEvent) =>
  event.type === 'text' ? 100 + event.text.length : JSON.stringify(event.entry).length
