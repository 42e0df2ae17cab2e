import type { ComponentChildren } from 'preact'
import { useShortcuts } from '../window/keyboard.ts'

/** A panel at the right of a list, or above it in a narrow window. Closing it returns the focus to the list. */
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
    // In a narrow window the list is rendered after the panel closes.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true }))
  }
  useShortcuts([{ key: 'Escape', description: 'close the panel', onPress: close }])
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
