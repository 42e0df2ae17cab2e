import { signal } from '@preact/signals'

type Toast = { id: number; text: string; undo?: (() => void) | undefined; isBad?: boolean }

const toasts = signal<Toast[]>([])
let next = 0
const visibleMs = 4_000
const undoMs = 10_000

const drop = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Shows a message for some seconds, with `undo` for ten seconds. Errors stay until closed. */
export function toast(text: string, { undo, isBad }: { undo?: () => void; isBad?: boolean } = {}): void {
  const id = next++
  // Repeated errors are displayed once.
  const others = toasts.value.filter((one) => !one.isBad || one.text !== text)
  toasts.value = [...others, { id, text, ...(undo && { undo }), ...(isBad && { isBad }) }]
  if (!isBad) window.setTimeout(() => drop(id), undo ? undoMs : visibleMs)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, undo, isBad }) => (
        <div key={id} class="toast">
          {isBad && <span class="dot bad" />}
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
          {isBad && (
            <button type="button" class="bare" aria-label="Close" onClick={() => drop(id)}>
              ✕
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
