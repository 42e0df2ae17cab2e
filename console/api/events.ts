import { useEffect, useRef } from 'preact/hooks'
import { workspaceInAddress } from './address/workspace-path.ts'
import { linkTo } from './client.ts'
import { keepOpen } from './connection/stream.ts'
import { sessionState } from './session.ts'

/** Receives the data of an event. All screens of the page share one event stream. */
type Listener = (data: unknown) => void

const listeners = new Map<string, Set<Listener>>()
let source: EventSource | undefined
let closeStream: (() => void) | undefined
let isOpen = false

function connect(): void {
  closeStream ??= keepOpen(linkTo('GET /events', {}), (stream) => {
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
  const data = event instanceof MessageEvent ? JSON.parse(event.data) : undefined
  if (isOfOtherWorkspace(data)) return
  for (const listener of listeners.get(event.type) ?? []) listener(data)
}

/** The service sends the events of all workspaces to owners and admins, even if the query of the stream names one. */
function isOfOtherWorkspace(data: { workspace_id?: string | null } | undefined): boolean {
  const current = sessionState.peek()
  if (workspaceInAddress() === undefined || current.state !== 'signed-in') return false
  return typeof data?.workspace_id === 'string' && data.workspace_id !== current.session.workspace.id
}

/** Whether the event stream is open. If not, screens poll. */
export const isReceivingEvents = () => isOpen

/** Calls `listen` with the data of each event of this name while the component is mounted. */
export function useEvents<T>(name: string, listen: (data: T) => void): void {
  const latest = useRef(listen)
  latest.current = listen
  useEffect(() => {
    const listener: Listener = (data) => latest.current(data as T)
    const existing = listeners.get(name)
    if (existing) existing.add(listener)
    else {
      listeners.set(name, new Set([listener]))
      source?.addEventListener(name, dispatch)
    }
    connect()
    return () => {
      listeners.get(name)?.delete(listener)
      if ([...listeners.values()].every((set) => set.size === 0)) {
        closeStream?.()
        closeStream = undefined
        source = undefined
        isOpen = false
      }
    }
  }, [name])
}

/** Calls `onRestart` when the stream opens or lost events: the caller must reload its data. */
export function useStreamRestart(onRestart: () => void): void {
  // `open` is an event of the browser, `reset` one of the service.
  useEvents('open', onRestart)
  useEvents('reset', onRestart)
}
