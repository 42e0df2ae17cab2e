import { useEffect, useRef } from 'preact/hooks'
import { withRoot } from './root.ts'
import { keepOpen } from './stream.ts'

/** What the service tells as it happens, all over one stream for all screens of this page. */
type Listener = (data: unknown) => void

const listeners = new Map<string, Set<Listener>>()
let source: EventSource | undefined
let end: (() => void) | undefined
let isOpen = false

function connect(): void {
  end ??= keepOpen(withRoot('/api/v1/events'), (stream) => {
    source = stream
    stream.onopen = () => {
      isOpen = true
    }
    stream.onerror = () => {
      isOpen = false
    }
    for (const name of listeners.keys()) stream.addEventListener(name, dispatch)
  })
}

function dispatch(event: Event): void {
  for (const listener of listeners.get(event.type) ?? [])
    listener(event instanceof MessageEvent ? JSON.parse(event.data) : undefined)
}

/** Whether changes are told; else a screen has to ask now and then. */
export const hearsEvents = () => isOpen

/** Calls `hear` with the data of each event of this name, as long as the component is there. */
export function useEvents<T>(name: string, hear: (data: T) => void): void {
  const latest = useRef(hear)
  latest.current = hear
  useEffect(() => {
    const listener: Listener = (data) => latest.current(data as T)
    const known = listeners.get(name)
    if (known) known.add(listener)
    else {
      listeners.set(name, new Set([listener]))
      source?.addEventListener(name, dispatch)
    }
    connect()
    return () => {
      listeners.get(name)?.delete(listener)
      if ([...listeners.values()].every((set) => set.size === 0)) {
        end?.()
        end = undefined
        source = undefined
        isOpen = false
      }
    }
  }, [name])
}

/** Calls `act` when changes begin to be told, and where some were missed: what was before is to be asked for. */
export function useHearing(act: () => void): void {
  useEvents('open', act)
  useEvents('reset', act)
}
