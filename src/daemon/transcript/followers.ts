import type { Entry, TranscriptEvent } from '#interns/contract/transcript.ts'

/** What a slow reader may leave unread before its stream ends; it then comes again and goes on where it was. */
const most = { events: 5_000, characters: 4 * 1024 * 1024 }
/** Readers of one daemon at a time. */
const maxFollowers = 64

type Follower = { sessionId: string; push: (event: TranscriptEvent) => void }

/** Those who follow sessions as they happen. */
export function createFollowers() {
  const followers = new Set<Follower>()
  return {
    has: (sessionId: string) => [...followers].some((follower) => follower.sessionId === sessionId),
    any: () => followers.size > 0,
    isFull: () => followers.size >= maxFollowers,
    tell: (sessionId: string, event: TranscriptEvent) => {
      for (const follower of followers) if (follower.sessionId === sessionId) follower.push(event)
    },
    /** First what is read by `catchUp`, page by page until one is empty, then what happens. */
    follow(
      sessionId: string,
      catchUp: () => TranscriptEvent[],
      signal: AbortSignal,
    ): AsyncIterableIterator<TranscriptEvent, undefined> {
      let past: TranscriptEvent[] = []
      const coming: TranscriptEvent[] = []
      let characters = 0
      let isCaughtUp = false
      const known = new Map<number, { revision: number; length: number }>()
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
          coming.push(event)
          characters += sizeOf(event)
          if (coming.length > most.events || characters > most.characters) leave()
          wake()
        },
      }
      followers.add(follower)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()

      const take = (): TranscriptEvent | undefined => {
        if (!isCaughtUp && past.length === 0) past = catchUp()
        isCaughtUp ||= past.length === 0
        if (!isCaughtUp) {
          const event = past.shift()!
          if (event.type === 'entry') known.set(event.entry.id, stateOf(event.entry))
          return event
        }
        for (;;) {
          const event = coming.shift()
          if (!event) return undefined
          characters -= sizeOf(event)
          if (!isContained(event, known)) return event
        }
      }
      const next = async (): Promise<IteratorResult<TranscriptEvent, undefined>> => {
        for (;;) {
          const event = isOver ? undefined : take()
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

type Known = { revision: number; length: number }

const stateOf = (entry: Entry): Known => ({ revision: entry.revision, length: 'text' in entry ? entry.text.length : 0 })

/** Whether a reader that has caught up got this with the past. */
function isContained(event: TranscriptEvent, known: ReadonlyMap<number, Known>): boolean {
  if (event.type === 'entry') return event.entry.revision <= (known.get(event.entry.id)?.revision ?? 0)
  return event.offset < (known.get(event.id)?.length ?? 0)
}

const sizeOf = (event: TranscriptEvent) =>
  event.type === 'text' ? 100 + event.text.length : JSON.stringify(event.entry).length
