import { signal } from '@preact/signals'

type Toast = { id: number; text: string; undo?: (() => void) | undefined; isError?: boolean }

const toasts = signal<Toast[]>([])
let nextId = 0
const visibleMs = 4_000
const undoMs = 10_000

const drop = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Shows a message for some seconds, with `undo` for ten seconds. Errors stay until closed. */
export function toast(
  text: string,
  { undo, isError }: { undo?: (() => void) | undefined; isError?: boolean } = {},
): void {
  const id = nextId++
  // Repeated errors are displayed once.
  const others = toasts.value.filter((one) => !one.isError || one.text !== text)
  toasts.value = [...others, { id, text, undo, isError }]
  if (!isError) window.setTimeout(() => drop(id), undo ? undoMs : visibleMs)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, isError }) => (
        <div key={id} class="toast">
          {isError && <span class="dot bad" />}
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                drop(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
          {isError && (
            <button type="button" class="bare" aria-label="Close" onClick={() => drop(id)}>
              ✕
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
