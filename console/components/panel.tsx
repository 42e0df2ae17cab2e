import type { ComponentChildren } from 'preact'
import { useKeys } from './keys.ts'

/** The one thing that is open, at the right of its list; in a narrow window in its place. Escape closes it, and who was in it is in the list again. */
export function Panel({
  title,
  onClose,
  children,
}: {
  title: ComponentChildren
  onClose: () => void
  children: ComponentChildren
}) {
  const close = () => {
    onClose()
    // In a narrow window the list is there again once the panel is gone.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true }))
  }
  useKeys([{ key: 'Escape', says: 'close the panel', act: close }])
  return (
    <aside class="panel" aria-label="Details">
      <header>
        <h2>{title}</h2>
        <button type="button" class="bare" onClick={close} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </aside>
  )
}
