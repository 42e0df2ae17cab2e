import { signal } from '@preact/signals'

type Toast = { id: number; text: string; undo?: (() => void) | undefined; isBad?: boolean }

const toasts = signal<Toast[]>([])
let next = 0
const shownMs = 4_000
/** How long something can be undone. */
const undoMs = 10_000

const drop = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Says in passing what was done; with `undo`, for ten seconds, how to take it back. */
export function toast(text: string, { undo, isBad }: { undo?: () => void; isBad?: boolean } = {}): void {
  const id = next++
  toasts.value = [...toasts.value, { id, text, ...(undo && { undo }), ...(isBad && { isBad }) }]
  window.setTimeout(() => drop(id), undo || isBad ? undoMs : shownMs)
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
        </div>
      ))}
    </div>
  )
}
